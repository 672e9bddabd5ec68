import { Link } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Skeleton } from "@/components/ui/skeleton";
import { useLive } from "@/lib/live.ts";
import { useMe } from "@/people/me.ts";
import { RunnersChanged } from "@/runners/queries.ts";
import { useActions } from "../actions/actions-provider.tsx";
import { useSession } from "../store/session-provider.tsx";
import { startAgent } from "./agent-actions.ts";
import { type Run, SessionAgents } from "./queries.ts";
import { RunCard } from "./run-card.tsx";

/** Who asks for something stands above all; who has ended, below. */
const place = ({ status, endedAt }: Run) => (endedAt !== null ? 2 : status === "asking" ? 0 : 1);

/** The agents that run in this session as processes, the newest of each kind on top. */
export default function AgentsPane({ shown }: { shown: boolean }) {
  const id = useSession(({ head }) => head.id);
  const runs = useLive(SessionAgents, { id }, !shown)?.sessionAgents?.session?.runs.nodes;
  const sorted = runs?.toSorted((a, b) => place(a) - place(b) || b.run - a.run);
  return (
    <section aria-label="Agents" className="h-full overflow-y-auto">
      <Start shown={shown} />
      {!sorted ? (
        <Skeleton className="m-4 h-24" />
      ) : sorted.length === 0 ? (
        <p className="p-4 text-sm text-muted-foreground">
          No agent runs here as a process that can be watched. Teams that came by themselves stand on the roster.
        </p>
      ) : (
        <ul aria-label="Agents" className="divide-y">
          {sorted.map((run) => (
            <RunCard key={run.run} run={run} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Start({ shown }: { shown: boolean }) {
  const id = useSession(({ head }) => head.id);
  const { standing, open } = useActions();
  const runners = useLive(RunnersChanged, {}, !shown)?.runnersChanged?.query.listRunners?.runners;
  const isOpen = useMe()?.access === "open";
  const ready = runners?.filter(({ accept }) => accept === "anyone" || !isOpen) ?? [];
  const offered = runners?.length ?? 0;
  return (
    <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2 text-sm">
      {standing?.mayWrite && ready.length > 0 ? (
        <Button size="sm" className="h-7" onClick={() => open(startAgent(id, ready))}>
          <Bot aria-hidden /> Start an agent
        </Button>
      ) : null}
      <Link to="/runners" className="text-xs text-muted-foreground underline underline-offset-2">
        {offered === 1
          ? "1 runner offers agents"
          : offered > 1
            ? `${offered} runners offer agents`
            : "No runner offers agents"}
      </Link>
    </div>
  );
}
