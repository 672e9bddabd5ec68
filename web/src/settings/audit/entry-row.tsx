import { Link } from "@tanstack/react-router";
import { isoTime } from "@/lib/time.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import type { AuditEntryData } from "./queries.ts";
import { sentenceOf } from "./sentence.ts";

const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Who did what, and in which session. */
export function EntryRow({ data: { at, actor, event, session, details } }: { data: AuditEntryData }) {
  return (
    <li className="flex flex-col gap-1 px-4 py-2.5 text-sm sm:flex-row sm:gap-4">
      <time dateTime={isoTime(at)} className="shrink-0 text-xs text-muted-foreground tabular-nums sm:w-40 sm:pt-0.5">
        {when.format(new Date(at))}
      </time>
      <div className="min-w-0">
        <p className="break-words">
          <bdi className="font-medium">{visibleName(actor)}</bdi> {sentenceOf(event, details)}
          {session && (
            <>
              {" in "}
              <Link to="/s/$ref" params={{ ref: session }} className="underline underline-offset-2">
                {session}
              </Link>
            </>
          )}
        </p>
      </div>
    </li>
  );
}
