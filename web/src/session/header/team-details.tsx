import { JumpLink } from "../feed/jump-link.tsx";
import { full } from "../format.ts";
import { visibleName } from "../markdown/visible.ts";
import type { Participant } from "../queries.ts";

/** A team, and how far it has come with the feed. */
export function TeamDetails({ participant, last }: { participant: Participant; last: number }) {
  const { teamName, handle, joinedAt, leftAt, cursor, ackedCursor } = participant;
  return (
    <div className="text-xs">
      <h2 className="text-sm font-medium break-words">
        <bdi>{visibleName(teamName)}</bdi>
      </h2>
      <p className="font-mono break-words text-muted-foreground">{handle}</p>
      <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1">
        <dt className="text-muted-foreground">read</dt>
        <dd>
          <UpTo cursor={ackedCursor} last={last} />
        </dd>
        <dt className="text-muted-foreground">received</dt>
        <dd>
          <UpTo cursor={cursor} last={last} />
        </dd>
        <dt className="text-muted-foreground">joined</dt>
        <dd>{full(joinedAt)}</dd>
        {leftAt ? (
          <>
            <dt className="text-muted-foreground">left</dt>
            <dd>{full(leftAt)}</dd>
          </>
        ) : null}
      </dl>
    </div>
  );
}

function UpTo({ cursor, last }: { cursor: number; last: number }) {
  if (cursor === 0) return "nothing yet";
  return (
    <>
      up to{" "}
      <JumpLink to={cursor} className="underline decoration-border underline-offset-2">
        #{cursor}
      </JumpLink>
      {cursor >= last ? ", everything" : ` of ${last}`}
    </>
  );
}
