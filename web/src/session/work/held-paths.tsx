import { TriangleAlert } from "lucide-react";
import { RelativeTime } from "@/components/relative-time.tsx";
import { visibleName } from "../markdown/visible.ts";
import type { Participant } from "../queries.ts";
import { nameOf } from "../team-name.ts";
import type { HeldPath, Overlap } from "./queries.ts";
import { TaskLink } from "./task-link.tsx";
import { Team } from "./team.tsx";

interface HeldPathsProps {
  paths: readonly HeldPath[];
  overlaps: readonly Overlap[];
  roster: readonly Participant[];
}

/** Who has said that they will change what, and where two were found at the same. */
export function HeldPaths({ paths, overlaps, roster }: HeldPathsProps) {
  const byTeam = Map.groupBy(paths, ({ participantId }) => participantId);
  return (
    <section aria-label="Held paths" className="px-3 py-3 text-sm">
      <h3 className="text-xs font-medium text-muted-foreground">
        Held paths <span className="font-normal tabular-nums">{paths.length}</span>
      </h3>
      {overlaps.map(({ path, teams }) => (
        <p key={path} className="mt-2 flex items-start gap-1.5 text-idle-foreground">
          <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 break-words">
            <bdi>{(teams ?? []).map((handle) => nameOf(handle ?? "", roster)).join(" and ")}</bdi> are both at{" "}
            <code className="break-all">{visibleName(path ?? "")}</code>
          </span>
        </p>
      ))}
      {paths.length === 0 ? <p className="mt-1 text-muted-foreground">Nobody holds any.</p> : null}
      {[...byTeam].map(([id, held]) => {
        const team = roster.find((one) => one.id === id);
        return (
          <div key={id} className="mt-2">
            {team ? <Team team={team} roster={roster} /> : null}
            <ul className="mt-0.5 pl-3">
              {held.map(({ path, task, note, heldSince }) => (
                <li key={`${task} ${path}`} className="flex flex-wrap items-baseline gap-x-2">
                  <code className="min-w-0 break-all">{visibleName(path)}</code>
                  <span className="text-xs text-muted-foreground">
                    {task > 0 ? <TaskLink task={task} /> : <bdi>{visibleName(note ?? "")}</bdi>}{" "}
                    <RelativeTime at={heldSince} />
                  </span>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </section>
  );
}
