import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { clock, full } from "../format.ts";
import { jumpTo } from "../jump.ts";
import { visible, visibleName } from "../markdown/visible.ts";
import { pageClient } from "../page-client.ts";
import { FindQuery, type Message } from "../queries.ts";
import { textOf } from "./chat-message.tsx";
import { KindLabel } from "./marks.tsx";

const STEP = 50;
const MOST = 500;
const AROUND = 60;

interface FoundMessagesProps {
  sessionId: string;
  search: string;
  team: string;
  kind: string;
  /** The newest message that may be a hit: the search is made again for it. */
  newest: number | undefined;
}

/** The newest hits above the feed; choosing one moves the feed to it. */
export function FoundMessages({ sessionId, search, team, kind, newest }: FoundMessagesProps) {
  const [first, setFirst] = useState(STEP);
  const [found, setFound] = useState<Message[]>();
  const [failed, setFailed] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is new may be a hit
  useEffect(() => {
    let current = true;
    const variables = { id: sessionId, search: search || null, team: team || null, kind: kind || null, first };
    pageClient
      .query(FindQuery, variables)
      .toPromise()
      .then(({ data, error }) => {
        if (!current) return;
        setFailed(error !== undefined);
        if (data?.session) setFound(data.session.findMessages.nodes);
      });
    return () => {
      current = false;
    };
  }, [sessionId, search, team, kind, first, newest]);

  if (failed) return <Note>The search did not work. Change it to try again.</Note>;
  if (!found) return <Note>Searching …</Note>;
  if (found.length === 0) return <Note>Nothing found.</Note>;
  return (
    <div className="max-h-[38vh] overflow-y-auto border-t">
      <p role="status" className="px-4 pt-2 text-xs text-muted-foreground">
        {found.length === first ? `The newest ${first} hits` : `${found.length} ${found.length === 1 ? "hit" : "hits"}`}
      </p>
      <ol className="py-1">
        {found.map((message) => (
          <li key={message.sequence}>
            <button
              type="button"
              className="flex w-full min-w-0 items-baseline gap-2 px-4 py-1 text-left text-sm hover:bg-accent focus-visible:bg-accent"
              onClick={() => jumpTo(message.sequence)}
            >
              <span className="shrink-0 text-xs text-muted-foreground tabular-nums">#{message.sequence}</span>
              <bdi className="max-w-32 shrink-0 truncate font-medium">
                {visibleName(message.postedBy?.teamName ?? "server")}
              </bdi>
              {message.kind !== "message" && message.kind !== kind ? <KindLabel kind={message.kind} /> : null}
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {excerpt(message, search)}
              </span>
              <time
                dateTime={message.postedAt}
                title={full(message.postedAt)}
                className="shrink-0 text-xs text-muted-foreground"
              >
                {clock(message.postedAt)}
              </time>
            </button>
          </li>
        ))}
      </ol>
      {found.length === first && first < MOST ? (
        <Button variant="ghost" size="sm" className="mx-4 mb-2" onClick={() => setFirst(Math.min(first * 3, MOST))}>
          More
        </Button>
      ) : null}
    </div>
  );
}

function excerpt(message: Message, search: string): string {
  const text = visible(message.type === "chat" ? textOf(message) : JSON.stringify(message.content)).replace(
    /\s+/g,
    " ",
  );
  const at = text.toLowerCase().indexOf(search.toLowerCase());
  return at > AROUND ? `… ${text.slice(at - AROUND / 2, at + 300)}` : text.slice(0, 300);
}

function Note({ children }: { children: React.ReactNode }) {
  return (
    <p role="status" className="border-t px-4 py-2 text-sm text-muted-foreground">
      {children}
    </p>
  );
}
