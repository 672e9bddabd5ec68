import { CircleCheck, CircleX, LoaderCircle } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { CommandLine } from "@/connect/command-line.tsx";
import { useAddress } from "@/connect/use-address.ts";
import { listen } from "@/lib/live.ts";
import { type Hop, testConnection } from "./connection-test.ts";
import { CallArrived } from "./queries.ts";

/** What is tried after so many hops. */
const NEXT = [
  "Looking up the name…",
  "Calling this server through the link…",
  "Calling MCP…",
  "Opening a WebSocket…",
  "Waiting for 30 seconds, as agents do…",
];

/** Two ways: this server calls itself through its link, or waits until an agent has come by it. */
export function TestConnection() {
  const [shown, setShown] = useState<"hops" | "call">();
  const [round, setRound] = useState(0);
  const show = (what: "hops" | "call") => {
    setShown(what);
    setRound(round + 1);
  };
  return (
    <div className="flex flex-col gap-3 border-t p-4 text-sm">
      <div className="flex flex-wrap gap-2">
        <Button variant="outline" size="sm" onClick={() => show("hops")}>
          Test connection
        </Button>
        <Button variant="ghost" size="sm" onClick={() => show("call")}>
          Wait for a call of an agent
        </Button>
      </div>
      {shown === "hops" && <Hops key={round} />}
      {shown === "call" && <Arrival key={round} />}
    </div>
  );
}

function Hops() {
  const [hops, setHops] = useState<Hop[]>([]);
  const [refusal, setRefusal] = useState<string>();
  useEffect(() => {
    const left = new AbortController();
    testConnection((hop) => setHops((before) => [...before, hop]), left.signal).catch((error: Error) => {
      if (!left.signal.aborted) setRefusal(error.message);
    });
    return () => left.abort();
  }, []);
  const failed = hops.some(({ ok }) => !ok);
  const next = failed || refusal ? undefined : NEXT[hops.length];
  return (
    <div role="status">
      <ol className="flex flex-col gap-2">
        {hops.map(({ hop, ok, said, todo }) => (
          <Line key={hop} icon={ok ? "good" : "bad"}>
            {said} {todo && <span className="text-muted-foreground">{todo}</span>}
          </Line>
        ))}
        {next && <Line icon="busy">{next}</Line>}
      </ol>
      {refusal && (
        <p role="alert" className="text-destructive">
          {refusal}
        </p>
      )}
      {!next && !failed && !refusal && <p className="pt-2 font-medium">The link works, all the way.</p>}
    </div>
  );
}

const ICONS = {
  good: <CircleCheck aria-label="Works:" className="mt-0.5 size-4 shrink-0 text-active-foreground" />,
  bad: <CircleX aria-label="Fails:" className="mt-0.5 size-4 shrink-0 text-destructive" />,
  busy: (
    <LoaderCircle
      aria-hidden
      className="mt-0.5 size-4 shrink-0 animate-spin text-muted-foreground motion-reduce:animate-none"
    />
  ),
};

function Line({ icon, children }: { icon: keyof typeof ICONS; children: React.ReactNode }) {
  return (
    <li className="flex gap-2">
      {ICONS[icon]}
      <span className="min-w-0 break-words">{children}</span>
    </li>
  );
}

/** Turns green with the first call from outside. */
function Arrival() {
  const { base, key } = useAddress();
  const [state, setState] = useState<"beginning" | "listening" | "arrived">("beginning");
  const arrived = state === "arrived";
  useEffect(() => {
    if (arrived) return;
    // The first tick only says that we are listening.
    return listen(CallArrived, {}, () => setState((before) => (before === "beginning" ? "listening" : "arrived")));
  }, [arrived]);
  return (
    <div className="flex flex-col gap-3">
      <ol role="status">
        {state === "beginning" && <Line icon="busy">One moment…</Line>}
        {state === "listening" && (
          <Line icon="busy">Waiting for a call. Run this where your agent runs, or start the agent:</Line>
        )}
        {state === "arrived" && <Line icon="good">A call has arrived: the link works.</Line>}
      </ol>
      {state === "listening" && (
        <CommandLine
          text={`curl -sf${key ? ` -H "Authorization: Bearer ${key}"` : ""} ${base}/api/openapi.json -o /dev/null && echo reached`}
        />
      )}
    </div>
  );
}
