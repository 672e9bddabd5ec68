import { useState } from "react";
import { ActivityDot, LIVELIEST_FIRST } from "@/components/activity-dot.tsx";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Button } from "@/components/ui/button";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import { useNow } from "@/lib/time.ts";
import { visibleName } from "../markdown/visible.ts";
import type { Participant } from "../queries.ts";
import { nameOfTeam } from "../team-name.ts";
import { TeamDetails } from "./team-details.tsx";

const FIRST_SHOWN = 6;
const JUST_NOW_MS = 60_000;
// Its end fades, so that it is seen to go on; the padding lets the last team out of the fade.
const ONE_ROW =
  "overflow-x-auto [scrollbar-width:none] max-sm:pr-6 max-sm:[mask-image:linear-gradient(to_right,black_calc(100%-1.5rem),transparent)]";

interface RosterProps {
  participants: Participant[];
  last: number;
  concluded: boolean;
}

export function Roster({ participants, last, concluded }: RosterProps) {
  const [whole, setWhole] = useState(false);
  const rank = ({ activity }: Participant) => (concluded ? 0 : LIVELIEST_FIRST.indexOf(activity));
  const sorted = participants.toSorted((a, b) => rank(a) - rank(b) || a.id - b.id);
  const shown = whole ? sorted : sorted.slice(0, FIRST_SHOWN);
  return (
    <div className="mt-2 flex items-start gap-2">
      <ul
        aria-label="Teams"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard
        tabIndex={0}
        className={`flex min-w-0 gap-1.5 ${whole ? "max-h-[35vh] flex-wrap overflow-y-auto" : ONE_ROW}`}
      >
        {shown.map((participant) => (
          <Team
            key={participant.id}
            participant={participant}
            name={nameOfTeam(participant, participants)}
            last={last}
            concluded={concluded}
          />
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

interface TeamProps {
  participant: Participant;
  name: string;
  last: number;
  concluded: boolean;
}

function Team({ participant, name, last, concluded }: TeamProps) {
  const { kind, guest, activity, convener, leftAt, ackedCursor } = participant;
  return (
    <li className="max-w-full shrink-0">
      <Popover>
        <PopoverTrigger asChild>
          <button
            type="button"
            title={`${visibleName(participant.teamName)} (${participant.handle}), read up to #${ackedCursor} of ${last}`}
            className="flex max-w-full flex-wrap items-center gap-x-1 rounded-md border px-2 py-1 text-xs whitespace-nowrap hover:bg-accent/60"
          >
            <bdi className="max-w-40 truncate font-medium">{name}</bdi>
            {concluded ? null : <ActivityDot activity={activity} className="ml-0.5" />}
            {convener ? <Fact>convener</Fact> : null}
            {kind === "human" ? <Fact>human</Fact> : null}
            {guest ? <Fact>guest</Fact> : null}
            {concluded ? leftAt && <Fact>left</Fact> : <LastSeen participant={participant} />}
          </button>
        </PopoverTrigger>
        <PopoverContent align="start" aria-label={name} className="w-64 max-w-[calc(100vw-2rem)] p-3">
          <TeamDetails participant={participant} last={last} />
        </PopoverContent>
      </Popover>
    </li>
  );
}

/** When it was last heard of, unless that is just now. */
function LastSeen({ participant: { activity, leftAt, lastSeenAt } }: { participant: Participant }) {
  const now = useNow();
  if (activity === "listening" || (activity === "working" && now - Date.parse(lastSeenAt) < JUST_NOW_MS)) return null;
  return (
    <Fact>
      {leftAt ? "" : "seen "}
      <RelativeTime at={leftAt ?? lastSeenAt} />
    </Fact>
  );
}

function Fact({ className = "text-muted-foreground", children }: { className?: string; children: React.ReactNode }) {
  return (
    <span className={className}>
      <span aria-hidden="true">· </span>
      {children}
    </span>
  );
}
