import { GitBranch } from "lucide-react";
import { useState } from "react";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Button } from "@/components/ui/button";
import { cn } from "@/lib/utils.ts";
import type { Action } from "../actions/action.ts";
import { useActions } from "../actions/actions-provider.tsx";
import { count } from "../format.ts";
import { Avatar } from "../header/avatar.tsx";
import { visible, visibleName } from "../markdown/visible.ts";
import { useSession } from "../store/session-provider.tsx";
import { nameOfTeam } from "../team-name.ts";
import { interruptAgent, promptAgent, stopAgent } from "./agent-actions.ts";
import { PermissionCard } from "./permission-card.tsx";
import type { Run } from "./queries.ts";
import { Transcript } from "./transcript.tsx";

const DOTS: Record<string, string> = {
  working: "bg-active",
  waiting: "bg-active",
  asking: "bg-idle",
  queued: "bg-idle",
  starting: "bg-idle",
  failed: "bg-destructive",
  lost: "bg-destructive",
};

/** An agent that runs here, or did: how it is, where, what it has used, what it asks for, what it says. */
export function RunCard({ run }: { run: Run }) {
  const sessionId = useSession(({ head }) => head.id);
  const roster = useSession((session) => session.participants);
  const { standing, open } = useActions();
  const [transcript, setTranscript] = useState(false);
  const { team, status, worktree, error, endedAt } = run;
  const handle = team?.handle ?? "";
  const name = team ? nameOfTeam(team, roster) : run.agent;
  const tree = worktree as Record<string, unknown> | null;
  const acts: Action[] =
    endedAt || !standing?.mayWrite
      ? []
      : [promptAgent, interruptAgent, stopAgent].map((action) => action(sessionId, handle, name));
  return (
    <li aria-label={name} className="px-4 py-3 text-sm">
      <div className="flex min-w-0 items-center gap-2">
        {team ? <Avatar id={team.id} name={name} /> : null}
        <bdi className="min-w-0 truncate font-medium">{name}</bdi>
        <span className="shrink-0 text-xs text-muted-foreground">
          {visibleName(run.agent)}
          {run.runner ? ` on ${visibleName(run.runner)}` : ""}
        </span>
        <span className="ml-auto inline-flex shrink-0 items-center gap-1.5 text-xs">
          <span aria-hidden className={cn("size-2 rounded-full", DOTS[status] ?? "bg-disconnected")} />
          {status}
        </span>
      </div>
      <p className="mt-1 flex flex-wrap gap-x-3 text-xs text-muted-foreground tabular-nums">
        <span>
          started <RelativeTime at={run.startedAt} />
          {run.starter ? ` by ${nameOfTeam(run.starter, roster)}` : ""}
        </span>
        <span>{run.turns === 1 ? "1 turn" : `${count(run.turns)} turns`}</span>
        {Number(run.tokens) > 0 ? <span>{count(Number(run.tokens))} tokens</span> : null}
        {Number(run.cost) > 0 ? (
          <span title="As the agent says it; under a subscription that misleads">${Number(run.cost).toFixed(2)}</span>
        ) : null}
      </p>
      {tree?.branch || tree?.path ? (
        <p className="mt-1 flex min-w-0 items-center gap-1.5 font-mono text-xs">
          <GitBranch aria-hidden className="size-3.5 shrink-0 text-muted-foreground" />
          <span className="min-w-0 truncate" title={visibleName(String(tree.path ?? ""))}>
            {visibleName(String(tree.branch ?? tree.path))}
          </span>
          <span className="shrink-0 font-sans text-muted-foreground">{whereItStands(tree)}</span>
        </p>
      ) : null}
      {error ? <p className="mt-1 break-words text-destructive">{visible(error)}</p> : null}
      {run.permissions.nodes
        .filter(({ answeredAt }) => !answeredAt && !endedAt)
        .map((permission) => (
          <PermissionCard
            key={permission.request}
            sessionId={sessionId}
            handle={handle}
            permission={permission}
            mayAnswer={standing?.mayLead === true}
          />
        ))}
      <div className="mt-2 flex flex-wrap gap-2">
        <Button
          size="sm"
          variant="outline"
          className="h-7 text-xs"
          aria-expanded={transcript}
          onClick={() => setTranscript(!transcript)}
        >
          Transcript
        </Button>
        {acts.map((action) => (
          <Button
            key={action.id}
            size="sm"
            variant="outline"
            className={cn("h-7 text-xs", action.destructive && "text-destructive")}
            onClick={() => open(action)}
          >
            {action.label}
          </Button>
        ))}
      </div>
      {transcript ? <Transcript sessionId={sessionId} run={run.run} lastEvent={run.lastEvent} /> : null}
    </li>
  );
}

/** How its branch differs from what it began with. */
function whereItStands({ ahead, dirty }: Record<string, unknown>): string {
  const commits = Number(ahead) > 0 && `${count(Number(ahead))} ${Number(ahead) === 1 ? "commit" : "commits"} ahead`;
  return [commits, dirty && "uncommitted changes"].filter(Boolean).join(", ");
}
