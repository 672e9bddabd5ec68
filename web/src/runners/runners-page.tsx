import { Cpu } from "lucide-react";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Skeleton } from "@/components/ui/skeleton";
import { CommandLine } from "@/connect/command-line.tsx";
import { assigned } from "@/connect/key-lines.ts";
import { useAddress } from "@/connect/use-address.ts";
import { useDocumentTitle } from "@/lib/document-title.ts";
import { useLive } from "@/lib/live.ts";
import { useMe } from "@/people/me.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import { type Runner, RunnersChanged } from "./queries.ts";

/** With open access nobody shows who they are: only a runner that was told so takes anything. */
function whomItTakes(accept: string | null, isOpen: boolean) {
  if (accept === "anyone") return "takes what anyone here asks for";
  return isOpen
    ? "takes nothing while access is open: --accept anyone"
    : "takes what is asked for under a key, or by people";
}

/** The machines that offer to run agents. */
export function RunnersPage() {
  useDocumentTitle("Runners");
  const runners = useLive(RunnersChanged, {})?.runnersChanged?.query.listRunners?.runners;
  return (
    <main className="mx-auto flex w-full max-w-4xl flex-col gap-6 px-4 py-6">
      <header>
        <h1 className="text-lg font-semibold">Runners</h1>
        <p className="mt-1 text-sm text-muted-foreground">
          Machines that offer to run agents. What they run, and in which folders, stands in their own configuration.
        </p>
      </header>
      {runners === undefined ? (
        <Skeleton className="h-24" />
      ) : runners.length === 0 ? (
        <p className="text-sm text-muted-foreground">No machine offers to run agents now.</p>
      ) : (
        <ul aria-label="Runners" className="divide-y rounded-lg border">
          {runners.map((runner) => (
            <RunnerRow key={runner.runner} runner={runner} />
          ))}
        </ul>
      )}
      <section className="flex flex-col gap-2 text-sm">
        <h2 className="font-medium">Offer a machine</h2>
        <OfferLine />
      </section>
    </main>
  );
}

function OfferLine() {
  const { base, key } = useAddress();
  const start = "node parley.mjs runner --name studio --agents claude";
  return (
    <>
      <p className="text-muted-foreground">
        Run this on it; it offers the agents that it has, until it is ended.{" "}
        {key ? "The key needs the scope run." : "Whoever reaches this server can start agents there then."}
      </p>
      <CommandLine text={`curl -sO ${base}/parley.mjs\n${assigned(key)}${start}${key ? "" : " --accept anyone"}`} />
    </>
  );
}

function RunnerRow({ runner }: { runner: Runner }) {
  const isOpen = useMe()?.access === "open";
  const { running, queued, maxRuns, accept, offeredAt, offeredBy } = runner;
  return (
    <li className="flex gap-3 p-4 text-sm">
      <Cpu aria-hidden className="mt-0.5 size-4 shrink-0 text-muted-foreground" />
      <div className="min-w-0 flex-1">
        <h2 className="font-medium break-words">
          <bdi>{visibleName(runner.runner)}</bdi>
        </h2>
        <p className="break-words">
          {runner.agents
            .filter((agent) => agent !== null)
            .map(visibleName)
            .join(", ")}
          {runner.repos.length > 0 && (
            <span className="text-muted-foreground">
              {" "}
              in{" "}
              {runner.repos
                .filter((repo) => repo !== null)
                .map(visibleName)
                .join(", ")}
            </span>
          )}
        </p>
        <p className="flex flex-wrap gap-x-2 text-xs text-muted-foreground">
          <span>
            {running ?? 0} of {maxRuns} running{queued ? `, ${queued} queued` : ""}
          </span>
          <span>{whomItTakes(accept, isOpen)}</span>
          {offeredAt && (
            <span>
              offered <RelativeTime at={offeredAt} />
              {offeredBy ? ` by ${visibleName(offeredBy)}` : ""}
            </span>
          )}
        </p>
      </div>
    </li>
  );
}
