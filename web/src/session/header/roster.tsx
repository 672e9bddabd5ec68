import { Ear } from "lucide-react";
import { useState } from "react";
import { RelativeTime } from "@/components/relative-time.tsx";
import { StatusDot } from "@/components/status-dot.tsx";
import { Button } from "@/components/ui/button";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import { visible } from "../markdown/visible.ts";
import type { Participant } from "../queries.ts";
import { TeamDetails } from "./team-details.tsx";

const FIRST_SHOWN = 6;
const ORDER = ["active", "idle", "disconnected"];

interface RosterProps {
  participants: Participant[];
  last: number;
}

export function Roster({ participants, last }: RosterProps) {
  const [whole, setWhole] = useState(false);
  const sorted = participants.toSorted((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status) || a.id - b.id);
  const shown = whole ? sorted : sorted.slice(0, FIRST_SHOWN);
  return (
    <div className="mt-2 flex items-start gap-2">
      <ul
        aria-label="Teams"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard
        tabIndex={0}
        className={`flex min-w-0 gap-1.5 ${whole ? "max-h-[35vh] flex-wrap overflow-y-auto" : "overflow-x-auto"}`}
      >
        {shown.map((participant) => (
          <Team key={participant.id} participant={participant} last={last} />
        ))}
      </ul>
      {sorted.length > FIRST_SHOWN ? (
        <Button
          variant="ghost"
          size="sm"
          className="h-7 shrink-0 px-2 text-xs"
          aria-expanded={whole}
          onClick={() => setWhole(!whole)}
        >
          {whole ? "Fewer" : `All ${sorted.length}`}
        </Button>
      ) : null}
    </div>
  );
}

function Team({ participant, last }: { participant: Participant; last: number }) {
  const { teamName, kind, status, listening, convener, leftAt, lastSeenAt, ackedCursor } = participant;
  const name = visible(teamName);
  return (
    <li className="max-w-full shrink-0">
      <Popover>
        <PopoverTrigger asChild>
          <button
            type="button"
            title={`${name} (${participant.handle}), read up to #${ackedCursor} of ${last}`}
            className="flex max-w-full flex-wrap items-center gap-x-1.5 rounded-md border px-2 py-1 text-xs whitespace-nowrap hover:bg-accent/60"
          >
            <span className="max-w-40 truncate font-medium">{name}</span>
            <StatusDot status={status} />
            {convener ? <span className="text-muted-foreground">· convener</span> : null}
            {kind === "human" ? <span className="text-muted-foreground">· human</span> : null}
            {listening ? (
              <span className="inline-flex items-center gap-0.5 text-active-foreground">
                <Ear aria-hidden="true" className="size-3" /> listening
              </span>
            ) : (
              <span className="text-muted-foreground">
                · {leftAt ? "left" : "seen"} <RelativeTime at={leftAt ?? lastSeenAt} />
              </span>
            )}
          </button>
        </PopoverTrigger>
        <PopoverContent align="start" aria-label={name} className="w-64 max-w-[calc(100vw-2rem)] p-3">
          <TeamDetails participant={participant} last={last} />
        </PopoverContent>
      </Popover>
    </li>
  );
}
