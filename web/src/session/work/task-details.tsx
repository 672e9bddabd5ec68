import { useEffect, useState } from "react";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Button } from "@/components/ui/button";
import { ask } from "@/lib/ask.ts";
import { full } from "../format.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { visibleName } from "../markdown/visible.ts";
import { nameOfTeam } from "../team-name.ts";
import { useActions } from "./actions.ts";
import { useAsked, useDependents, useWaits } from "./needs.ts";
import { type Task, TaskQuery, type TaskWhole } from "./queries.ts";
import { TaskForm, useForms } from "./task-forms.tsx";
import { TaskLink } from "./task-link.tsx";
import type { TaskRowProps } from "./task-row.tsx";

/** What it says in full, what it waits for and what waits for it, and the way on. */
export function TaskDetails({ sessionId, task, roster }: TaskRowProps) {
  const whole = useWhole(sessionId, task);
  const asked = useAsked(task);
  const waits = useWaits(task);
  const dependents = useDependents(task);
  return (
    <div className="grid gap-3 pr-3 pb-3 pl-11 text-sm">
      {whole?.body.trim() ? <Markdown text={whole.body} /> : null}
      {waits.length > 0 ? (
        <div>
          <h4 className="text-xs text-muted-foreground">Waits for</h4>
          <ul className="mt-0.5">
            {waits.map(({ task: needed, title, stand }) => (
              <li key={needed} className="break-words">
                <TaskLink task={needed}>
                  {needed} <bdi>{visibleName(title)}</bdi>
                </TaskLink>{" "}
                <span className="text-muted-foreground">{stand}</span>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {asked ? <TaskForm key={asked.form} {...asked} /> : <Ways task={task} />}
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-xs [&>dt]:text-muted-foreground">
        {task.status === "blocked" && task.outcome ? <Fact name="in its way">{visibleName(task.outcome)}</Fact> : null}
        <Tasks name="after" tasks={task.dependsOn} />
        <Tasks name="before" tasks={dependents} />
        {task.paths.length > 0 ? (
          <Fact name="paths">
            <span className="font-mono break-all">{task.paths.map(visibleName).join("  ")}</span>
          </Fact>
        ) : null}
        {whole?.check ? <Fact name="check">{visibleName(whole.check)}</Fact> : null}
        {whole?.commit ? (
          <Fact name="commit">
            <code className="break-all">{visibleName([whole.branch, whole.commit].filter(Boolean).join(" "))}</code>
          </Fact>
        ) : null}
        {whole?.verifier && whole.verifiedAt ? (
          <Fact name={task.proof === "refuted" ? "refuted by" : "verified by"}>
            <bdi>{nameOfTeam(whole.verifier, roster)}</bdi> <RelativeTime at={whole.verifiedAt} />
          </Fact>
        ) : null}
        {task.holder && whole?.claimExpiresAt ? <Fact name="held until">{full(whole.claimExpiresAt)}</Fact> : null}
        {whole?.author ? (
          <Fact name="added by">
            <bdi>{nameOfTeam(whole.author, roster)}</bdi>, {full(task.createdAt)}
          </Fact>
        ) : null}
      </dl>
      {task.status === "done" && whole?.result?.trim() ? (
        <div>
          <h4 className="text-xs text-muted-foreground">What came of it</h4>
          <div className="mt-1">
            <Markdown text={whole.result} />
          </div>
        </div>
      ) : null}
      <Evidence evidence={whole?.evidence} />
    </div>
  );
}

function Ways({ task: { task, status } }: { task: Task }) {
  const actions = useActions();
  const ask = useForms();
  if (!actions || (status !== "claimed" && status !== "open")) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {status === "open" ? (
        <Button size="sm" onClick={() => actions.claim(task)}>
          Claim it
        </Button>
      ) : null}
      <Button
        size="sm"
        variant={status === "claimed" ? "default" : "outline"}
        onClick={() => ask({ task, form: "finish" })}
      >
        Finish it…
      </Button>
      {status === "claimed" ? (
        <Button size="sm" variant="outline" onClick={() => actions.free(task)}>
          Give it back
        </Button>
      ) : null}
    </div>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

function Tasks({ name, tasks }: { name: string; tasks: readonly number[] }) {
  if (tasks.length === 0) return null;
  return (
    <Fact name={name}>
      {tasks.map((task, index) => (
        <span key={task}>
          {index > 0 ? ", " : null}
          <TaskLink task={task} />
        </span>
      ))}
    </Fact>
  );
}

/** What was brought forward, as it was brought: its words, no links. */
function Evidence({ evidence }: { evidence: unknown }) {
  if (!Array.isArray(evidence) || evidence.length === 0) return null;
  return (
    <ul className="text-xs text-muted-foreground">
      {evidence.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: evidence has no other name
        <li key={index} className="font-mono break-all">
          {visibleName(
            Object.values(one as object)
              .map(String)
              .join(" "),
          ).slice(0, 500)}
        </li>
      ))}
    </ul>
  );
}

function useWhole(id: string, { task, version }: Task): TaskWhole | undefined {
  const [whole, setWhole] = useState<TaskWhole>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another text
  useEffect(() => {
    let current = true;
    ask(TaskQuery, { id, task }).then(({ data }) => current && data?.task && setWhole(data.task));
    return () => {
      current = false;
    };
  }, [id, task, version]);
  return whole;
}
