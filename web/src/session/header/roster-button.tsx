import { lazy, Suspense, useState } from "react";
import { LIVELIEST_FIRST } from "@/components/activity-dot.tsx";
import { Button } from "@/components/ui/button";
import type { Participant } from "../queries.ts";
import { useSession } from "../store/session-provider.tsx";
import { nameOfTeam } from "../team-name.ts";
import { Avatar } from "./avatar.tsx";

const RosterSheet = lazy(() => import("./roster-sheet.tsx"));

const MOST_SHOWN = 5;
const MOST_ON_A_PHONE = 2;

/** Those who are at work come first; then the order of joining. */
export function livelyFirst(participants: readonly Participant[], concluded: boolean): Participant[] {
  const rank = ({ activity }: Participant) => (concluded ? 0 : LIVELIEST_FIRST.indexOf(activity));
  return participants.toSorted((a, b) => rank(a) - rank(b) || a.id - b.id);
}

/** "5 teams: 2 listening, 3 silent". */
function inWords(participants: readonly Participant[], concluded: boolean): string {
  const teams = participants.length === 1 ? "1 team" : `${participants.length} teams`;
  if (concluded) return teams;
  const counts = LIVELIEST_FIRST.map((word) => [participants.filter((one) => one.activity === word).length, word]);
  const words = counts.filter(([count]) => count !== 0).map(([count, word]) => `${count} ${word}`);
  return `${teams}: ${words.join(", ")}`;
}

/** Who is here, and whether they listen; more about each on a sheet. */
export function RosterButton() {
  const participants = useSession((session) => session.participants);
  const concluded = useSession(({ head }) => head.status === "closed");
  const [open, setOpen] = useState(false);
  const here = livelyFirst(participants, concluded).filter(({ leftAt }) => concluded || !leftAt);
  const words = inWords(participants, concluded);
  return (
    <>
      <Button
        variant="ghost"
        size="sm"
        className="h-8 shrink-0 gap-2 px-1.5 max-sm:gap-1"
        aria-haspopup="dialog"
        title={words}
        onClick={() => setOpen(true)}
      >
        <span className="sr-only">Teams. {words}</span>
        <span className="flex gap-1.5 max-sm:gap-0 max-sm:*:not-first:-ml-1.5">
          {here.slice(0, MOST_SHOWN).map((team, index) => (
            <Avatar
              key={team.id}
              id={team.id}
              name={nameOfTeam(team, participants)}
              activity={concluded ? undefined : team.activity}
              className={index < MOST_ON_A_PHONE ? "" : "max-sm:hidden"}
            />
          ))}
        </span>
        {here.length > MOST_ON_A_PHONE ? (
          <span className={`text-xs text-muted-foreground tabular-nums ${here.length > MOST_SHOWN ? "" : "sm:hidden"}`}>
            {here.length}
          </span>
        ) : null}
      </Button>
      <Suspense>{open ? <RosterSheet onClose={() => setOpen(false)} /> : null}</Suspense>
    </>
  );
}
