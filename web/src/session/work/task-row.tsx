import { useSortable } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { Ban, CircleCheck, CircleDashed, CirclePause, CircleUser, GripVertical, type LucideIcon } from "lucide-react";
import { Fragment, memo } from "react";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Button } from "@/components/ui/button";
import { visibleName } from "../markdown/visible.ts";
import type { Named } from "../team-name.ts";
import { useActions } from "./actions.ts";
import type { Group } from "./groups.ts";
import { useWaits } from "./needs.ts";
import { Proof } from "./proof.tsx";
import type { Task } from "./queries.ts";
import { TaskDetails } from "./task-details.tsx";
import { TaskLink } from "./task-link.tsx";
import { TaskMenu } from "./task-menu.tsx";
import { Team } from "./team.tsx";

const ICONS: Record<Group, LucideIcon> = {
  claimed: CircleUser,
  open: CircleDashed,
  blocked: CirclePause,
  done: CircleCheck,
  dropped: Ban,
};
const TINTS: Record<Group, string> = {
  claimed: "text-primary",
  open: "text-muted-foreground",
  blocked: "text-idle-foreground",
  done: "text-active-foreground",
  dropped: "text-muted-foreground",
};
const SHOWN_PATHS = 2;
const SHOWN_WAITS = 2;

export interface TaskRowProps {
  sessionId: string;
  task: Task;
  roster: readonly Named[];
  expanded: boolean;
  highlighted: boolean;
  /** Whether it can be given another place. */
  movable: boolean;
  onToggle: (task: number) => void;
}

export const TaskRow = memo(function TaskRow(props: TaskRowProps) {
  const { task, roster, expanded, highlighted, movable, onToggle } = props;
  const actions = useActions();
  const { setNodeRef, setActivatorNodeRef, listeners, transform, transition, isDragging } = useSortable({
    id: task.task,
    disabled: !movable,
  });
  const group = task.status as Group;
  const Icon = ICONS[group];
  const title = visibleName(task.title);
  const over = group === "done" || group === "dropped";
  return (
    <div
      ref={setNodeRef}
      data-task={task.task}
      style={{ transform: CSS.Translate.toString(transform), transition: transition ?? undefined }}
      className={`group relative border-b bg-background ${isDragging ? "z-10 shadow-md" : ""} ${highlighted ? "bg-highlight" : ""}`}
    >
      <div className="flex items-start gap-2 py-2 pr-2 pl-5">
        {movable ? (
          <span
            ref={setActivatorNodeRef}
            {...listeners}
            title="Drag to change its priority (Alt+↑ and Alt+↓ by keyboard)"
            className="absolute top-2 left-0.5 flex h-5 w-4 cursor-grab touch-none items-center text-muted-foreground opacity-0 group-hover:opacity-100 pointer-coarse:opacity-60"
          >
            <GripVertical aria-hidden="true" className="size-4" />
          </span>
        ) : null}
        <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${TINTS[group] ?? ""}`} />
        <div className="min-w-0 flex-1">
          <button
            type="button"
            data-main
            aria-expanded={expanded}
            aria-keyshortcuts={movable ? "Alt+ArrowUp Alt+ArrowDown" : undefined}
            className="block w-full rounded-sm text-left text-sm"
            onClick={() => onToggle(task.task)}
          >
            <span className="mr-1.5 text-muted-foreground tabular-nums">{task.task}</span>
            <bdi
              className={`break-words ${over ? "text-muted-foreground" : "font-medium"} ${expanded ? "" : "line-clamp-2 inline"}`}
            >
              {title}
            </bdi>
            <span className="sr-only">, {task.status}</span>
          </button>
          <div className="mt-0.5 flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-0.5 text-xs text-muted-foreground">
            {task.holder ? <Team team={task.holder} roster={roster} /> : null}
            {over && task.doer ? <Team team={task.doer} roster={roster} /> : null}
            {task.proof ? <Proof proof={task.proof} /> : null}
            {group === "blocked" ? <Blocked task={task} /> : null}
            {task.priority !== 0 && !over ? <span>priority {task.priority}</span> : null}
            {over ? null : <Paths paths={task.paths} />}
            <RelativeTime at={over ? task.updatedAt : task.createdAt} />
          </div>
        </div>
        {actions ? (
          <div className="flex shrink-0 items-center gap-0.5">
            {group === "open" ? (
              <Button
                variant="outline"
                size="sm"
                className="h-7 px-2 text-xs"
                aria-label={`Claim task ${task.task}`}
                onClick={() => actions.claim(task.task)}
              >
                Claim
              </Button>
            ) : null}
            <TaskMenu task={task} onOpen={() => expanded || onToggle(task.task)} />
          </div>
        ) : null}
      </div>
      {expanded ? <TaskDetails {...props} /> : null}
    </div>
  );
});

/** What stands in its way. */
function Blocked({ task }: { task: Task }) {
  const waits = useWaits(task);
  if (waits.length === 0)
    return <bdi className="text-idle-foreground">Blocked{task.outcome ? `: ${visibleName(task.outcome)}` : ""}</bdi>;
  const rest = waits.length - SHOWN_WAITS;
  return (
    <span className="min-w-0 break-words text-idle-foreground">
      Waits for{" "}
      {waits.slice(0, SHOWN_WAITS).map(({ task: needed, title, stand }, index) => (
        <Fragment key={needed}>
          {index > 0 ? " and " : null}
          <TaskLink task={needed} title={visibleName(title)}>
            {needed}
          </TaskLink>{" "}
          (<bdi>{stand}</bdi>)
        </Fragment>
      ))}
      {rest > 0 ? ` and ${rest} more` : ""}
    </span>
  );
}

function Paths({ paths }: { paths: readonly string[] }) {
  if (paths.length === 0) return null;
  const rest = paths.length - SHOWN_PATHS;
  return (
    <span className="min-w-0 truncate font-mono" title={paths.map(visibleName).join("\n")}>
      {paths.slice(0, SHOWN_PATHS).map(visibleName).join(" ")}
      {rest > 0 ? ` +${rest}` : ""}
    </span>
  );
}
