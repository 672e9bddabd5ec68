import { Link } from "@tanstack/react-router";
import { eventSentence } from "@/lib/event-sentence.ts";
import { clock, full } from "../format.ts";
import { visible } from "../markdown/visible.ts";
import { contentOf, type Message } from "../queries.ts";

interface Change {
  from: string;
  to: string;
}

const text = (value: unknown) => visible(typeof value === "string" ? value : String(value ?? ""));

export function SystemLine({ message }: { message: Message }) {
  const content = contentOf(message);
  const changes = Object.entries((content.changes ?? {}) as Record<string, Change>);
  const reason = content.reason;
  return (
    <div className="px-4 py-1.5 text-xs text-muted-foreground">
      <p className="break-words">
        <span aria-hidden="true">— </span>
        {eventSentence(content)}
        {content.doc_version ? ` (document version ${text(content.doc_version)})` : null}
        {reason ? <span>: “{text(reason)}”</span> : null}{" "}
        {typeof content.ref === "string" ? (
          <Link
            to="/s/$ref"
            params={{ ref: content.ref }}
            className="whitespace-nowrap underline hover:text-foreground"
          >
            open
          </Link>
        ) : null}{" "}
        <a href={`#${message.sequence}`} title={full(message.postedAt)} className="whitespace-nowrap hover:underline">
          <time dateTime={message.postedAt}>{clock(message.postedAt)}</time>
        </a>
      </p>
      {content.conclusion ? (
        <p className="mt-0.5 line-clamp-4 whitespace-pre-line break-words pl-4">{text(content.conclusion)}</p>
      ) : null}
      {changes.map(([name, { from, to }]) => (
        <p key={name} className="mt-0.5 line-clamp-4 break-words pl-4">
          {name}: <del>{text(from) || "(empty)"}</del> <span aria-hidden="true">→</span>{" "}
          <ins className="text-foreground no-underline">{text(to) || "(empty)"}</ins>
        </p>
      ))}
    </div>
  );
}
