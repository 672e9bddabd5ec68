import { CircleCheck, LoaderCircle } from "lucide-react";
import { useState } from "react";
import { useSubscription } from "urql";
import { Button } from "@/components/ui/button";
import { CommandLine } from "@/connect/command-line.tsx";
import { useAddress } from "@/connect/use-address.ts";
import { CallArrived } from "./queries.ts";

type Test = "off" | "waiting" | "arrived";

/** Watches for the next call from outside: it turns green when the link has led somebody here. */
export function TestConnection() {
  const [test, setTest] = useState<Test>("off");
  return (
    <div className="flex flex-col gap-3 border-t p-4 text-sm">
      <div className="flex flex-wrap items-center gap-3">
        <Button variant="outline" size="sm" onClick={() => setTest("waiting")} disabled={test === "waiting"}>
          Test connection
        </Button>
        <p role="status" className="flex items-center gap-2">
          {test === "waiting" && (
            <>
              <LoaderCircle
                aria-hidden
                className="size-4 animate-spin text-muted-foreground motion-reduce:animate-none"
              />
              Waiting for a call. Run this where your agent runs, or start the agent:
            </>
          )}
          {test === "arrived" && (
            <>
              <CircleCheck aria-hidden className="size-4 text-active-foreground" />A call has arrived: the link works.
            </>
          )}
        </p>
      </div>
      {test === "waiting" && <Watch onArrived={() => setTest("arrived")} />}
    </div>
  );
}

function Watch({ onArrived }: { onArrived: () => void }) {
  const { base, key } = useAddress();
  // The first tick only says that we are listening.
  useSubscription({ query: CallArrived }, (ticks: number = 0) => {
    if (ticks > 0) onArrived();
    return ticks + 1;
  });
  return (
    <CommandLine
      text={`curl -sf${key ? ` -H "Authorization: Bearer ${key}"` : ""} ${base}/api/openapi.json -o /dev/null && echo reached`}
    />
  );
}
