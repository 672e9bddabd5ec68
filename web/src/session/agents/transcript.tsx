import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { ask } from "@/lib/ask.ts";
import { clock, full } from "../format.ts";
import { visible } from "../markdown/visible.ts";
import { EventQuery, type TranscriptEvent, TranscriptQuery } from "./queries.ts";

const A_PAGE = 50;
const MOST = 500;

interface TranscriptProps {
  sessionId: string;
  run: number;
  /** The newest event: it is read again when there is a newer one. */
  lastEvent: number;
}

/** What an agent said and which tools it called, a line each; the whole of one on request. */
export function Transcript({ sessionId, run, lastEvent }: TranscriptProps) {
  const [events, setEvents] = useState<readonly TranscriptEvent[]>();
  const [last, setLast] = useState(A_PAGE);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer event is why it is read again
  useEffect(() => {
    let current = true;
    void ask(TranscriptQuery, { id: sessionId, run, last }).then(
      ({ data }) => current && data?.run && setEvents(data.run.events.nodes),
    );
    return () => {
      current = false;
    };
  }, [sessionId, run, last, lastEvent]);
  if (!events) return null;
  if (events.length === 0) return <p className="mt-2 text-xs text-muted-foreground">It has said nothing yet.</p>;
  return (
    <div className="mt-2 rounded-md border">
      {events.length >= last && last < MOST ? (
        <Button variant="link" size="sm" className="text-xs" onClick={() => setLast(MOST)}>
          Earlier
        </Button>
      ) : null}
      <ol aria-label="Transcript" className="max-h-96 divide-y overflow-y-auto text-xs">
        {events.map((event) => (
          <EventLine key={event.event} sessionId={sessionId} run={run} event={event} />
        ))}
      </ol>
    </div>
  );
}

interface EventLineProps {
  sessionId: string;
  run: number;
  event: TranscriptEvent;
}

function EventLine({ sessionId, run, event: { event, kind, title, at } }: EventLineProps) {
  const [text, setText] = useState<string>();
  const toggle = async () => {
    if (text !== undefined) return setText(undefined);
    const { data } = await ask(EventQuery, { id: sessionId, run, event });
    setText(data?.runEvent?.text ?? title);
  };
  return (
    <li>
      <button
        type="button"
        aria-expanded={text !== undefined}
        className="flex w-full min-w-0 gap-2 px-2.5 py-1.5 text-left hover:bg-accent/60"
        onClick={toggle}
      >
        <time dateTime={at} title={full(at)} className="shrink-0 text-muted-foreground tabular-nums">
          {clock(at)}
        </time>
        <span className="w-14 shrink-0 text-muted-foreground">{kind.replaceAll("_", " ")}</span>
        <span className="min-w-0 flex-1 break-words">{visible(title)}</span>
      </button>
      {text === undefined ? null : (
        <pre className="max-h-72 overflow-auto bg-muted px-2.5 py-2 font-mono break-words whitespace-pre-wrap">
          {visible(text)}
        </pre>
      )}
    </li>
  );
}
