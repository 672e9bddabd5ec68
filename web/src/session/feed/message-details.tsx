import { useEffect, useState } from "react";
import { ask } from "@/lib/ask.ts";
import { full } from "../format.ts";
import { visible } from "../markdown/visible.ts";
import { type Message, MessageDetailsQuery, type Participant } from "../queries.ts";
import { useSession } from "../store/session-provider.tsx";
import { nameOfTeam } from "../team-name.ts";
import { type Receipt, receiptsOf } from "./receipts.ts";

const ORDER: Receipt[] = ["read", "received", "joined later", "not yet"];

/** Who has read a message and who has received it, and what its author added for programs. */
export function MessageDetails({ message }: { message: Message }) {
  const { sequence } = message;
  const { sessionId, roster } = useSession((session) => ({ sessionId: session.head.id, roster: session.participants }));
  const [details, setDetails] = useState<{ metadata: unknown; roster: readonly Participant[] }>();
  useEffect(() => {
    let current = true;
    ask(MessageDetailsQuery, { id: sessionId, sequence }).then(({ data }) => {
      if (current && data)
        setDetails({ metadata: data.message?.metadata, roster: data.session?.participants.nodes ?? [] });
    });
    return () => {
      current = false;
    };
  }, [sessionId, sequence]);

  const receipts = receiptsOf(message, furthest(roster, details?.roster)).toSorted(
    (a, b) => ORDER.indexOf(a.receipt) - ORDER.indexOf(b.receipt),
  );
  return (
    <div className="text-xs">
      <h2 className="text-sm font-medium">Message #{sequence}</h2>
      <p className="text-muted-foreground">{full(message.postedAt)}</p>
      {receipts.length > 0 ? (
        <ul aria-label="Receipts" className="mt-2 max-h-56 space-y-1 overflow-y-auto">
          {receipts.map(({ team, receipt }) => (
            <li key={team.id} className="flex justify-between gap-3">
              <bdi className="truncate" title={team.handle}>
                {nameOfTeam(team, roster)}
              </bdi>
              <span className={`shrink-0 ${receipt === "read" ? "text-active-foreground" : "text-muted-foreground"}`}>
                {receipt}
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <p className="mt-2 text-muted-foreground">There is no other team to read it.</p>
      )}
      {details?.metadata ? (
        <>
          <h3 className="mt-3 font-medium">Metadata</h3>
          <pre className="mt-1 max-h-48 overflow-auto rounded bg-muted p-2 font-mono break-words whitespace-pre-wrap">
            {visible(JSON.stringify(details.metadata, null, 2))}
          </pre>
        </>
      ) : null}
    </div>
  );
}

/** Both are true, and cursors only move forwards: the later one counts. */
function furthest(live: readonly Participant[], read: readonly Participant[] = []): Participant[] {
  const byId = new Map(read.map((team) => [team.id, team]));
  return live.map((team) => ({
    ...team,
    cursor: Math.max(team.cursor, byId.get(team.id)?.cursor ?? 0),
    ackedCursor: Math.max(team.ackedCursor, byId.get(team.id)?.ackedCursor ?? 0),
  }));
}
