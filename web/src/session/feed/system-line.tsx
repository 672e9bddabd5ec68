import { Link } from "@tanstack/react-router";
import { eventSentence } from "@/lib/event-sentence.ts";
import { full, shortClock } from "../format.ts";
import { visible } from "../markdown/visible.ts";
import { contentOf, type Message } from "../queries.ts";
import { useSession } from "../store/session-provider.tsx";
import { nameOf } from "../team-name.ts";
import { EventIcon } from "./event-icon.tsx";
import { WithLinks } from "./with-links.tsx";

interface Change {
  from: string;
  to: string;
}

const text = (value: unknown) => visible(typeof value === "string" ? value : String(value ?? ""));

interface SystemLineProps {
  message: Message;
  /** What it tells together with those before it. */
  sentence: string | undefined;
}

/** What the server says: quiet, and it leads to what it is about. */
export function SystemLine({ message, sentence }: SystemLineProps) {
  const content = contentOf(message);
  const changes = Object.entries((content.changes ?? {}) as Record<string, Change>);
  const reason = content.reason;
  // Where teams stand by their handles, the feed calls them as it does everywhere.
  const told = useSession(({ participants }) => {
    const teams = Array.isArray(content.teams)
      ? content.teams.map((handle) => nameOf(String(handle), participants))
      : [];
    return eventSentence(teams.length > 0 ? { ...content, teams } : content);
  });
  return (
    <QuietLine icon={<EventIcon event={content.event} />} sequence={message.sequence} at={message.postedAt}>
      <WithLinks text={sentence ?? told} />
      {content.doc_version ? ` (document version ${text(content.doc_version)})` : null}
      {reason ? <span>: “{text(reason)}”</span> : null}{" "}
      {typeof content.ref === "string" ? (
        <Link to="/s/$ref" params={{ ref: content.ref }} className="whitespace-nowrap underline hover:text-foreground">
          open
        </Link>
      ) : null}
      {content.conclusion ? (
        <span className="mt-0.5 line-clamp-4 whitespace-pre-line break-words">{text(content.conclusion)}</span>
      ) : null}
      {changes.map(([name, { from, to }]) => (
        <span key={name} className="mt-0.5 line-clamp-4 break-words">
          {name}: <del>{text(from) || "(empty)"}</del> <span aria-hidden="true">→</span>{" "}
          <ins className="text-foreground no-underline">{text(to) || "(empty)"}</ins>
        </span>
      ))}
    </QuietLine>
  );
}

interface QuietLineProps {
  icon: React.ReactNode;
  /** The message that it is, if it is one. */
  sequence?: number;
  at: string;
  children: React.ReactNode;
}

/** A line between the words: something has happened. Its time stands where all times stand. */
export function QuietLine({ icon, sequence, at, children }: QuietLineProps) {
  const time = <time dateTime={at}>{shortClock(at)}</time>;
  return (
    <div className="relative flex gap-1.5 py-1 pr-4 pl-14 text-xs text-muted-foreground">
      <span className="absolute top-1 left-3 w-10 text-center text-[11px] tabular-nums">
        {sequence ? (
          <a href={`#${sequence}`} title={`${full(at)} · message ${sequence}`} className="hover:underline">
            {time}
          </a>
        ) : (
          <span title={full(at)}>{time}</span>
        )}
      </span>
      <span className="flex h-4 shrink-0">{icon}</span>
      <p className="min-w-0 break-words">{children}</p>
    </div>
  );
}
