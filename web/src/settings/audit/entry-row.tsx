import { Link } from "@tanstack/react-router";
import { isoTime } from "@/lib/time.ts";
import { visible, visibleName } from "@/session/markdown/visible.ts";
import type { AuditEntryData } from "./queries.ts";

const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[\d.]+(Z|[+-]\d\d:\d\d)$/;

/** What happened in the words of its event, and what else was written down with it. */
export function EntryRow({ data: { at, actor, event, session, details } }: { data: AuditEntryData }) {
  return (
    <li className="flex flex-col gap-1 px-4 py-2.5 text-sm sm:flex-row sm:gap-4">
      <time dateTime={isoTime(at)} className="shrink-0 text-xs text-muted-foreground tabular-nums sm:w-40 sm:pt-0.5">
        {when.format(new Date(at))}
      </time>
      <div className="min-w-0">
        <p>
          <bdi className="font-medium">{visibleName(actor)}</bdi>: {event.replaceAll("_", " ")}
          {session && (
            <>
              {" in "}
              <Link to="/s/$ref" params={{ ref: session }} className="underline underline-offset-2">
                {session}
              </Link>
            </>
          )}
        </p>
        <p className="text-xs break-words text-muted-foreground">{detailsOf(details)}</p>
      </div>
    </li>
  );
}

function detailsOf(details: unknown): string {
  const known = Object.entries((details ?? {}) as Record<string, unknown>).filter(([, value]) => value !== null);
  return known.map(([name, value]) => `${name.replaceAll("_", " ")} ${visible(wordsFor(value))}`).join(" · ");
}

function wordsFor(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsFor).join(", ");
  if (typeof value !== "string") return JSON.stringify(value);
  return TIME.test(value) ? when.format(new Date(value)) : value;
}
