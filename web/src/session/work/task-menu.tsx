import { EllipsisVertical } from "lucide-react";
import { Button } from "@/components/ui/button";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from "@/components/ui/dropdown-menu";
import { useActions } from "./actions.ts";
import type { Task } from "./queries.ts";
import { useForms } from "./task-forms.tsx";

/** All that can be done with a task. */
export function TaskMenu({ task, onOpen }: { task: Task; onOpen: () => void }) {
  const actions = useActions();
  const ask = useForms();
  if (!actions) return null;
  const { task: number, status } = task;
  const over = status === "done" || status === "dropped";
  const form = (name: "finish" | "block") => () => {
    onOpen();
    ask({ task: number, form: name });
  };
  return (
    <DropdownMenu modal={false}>
      <DropdownMenuTrigger asChild>
        <Button variant="ghost" size="icon-sm" className="size-7" aria-label={`More about task ${number}`}>
          <EllipsisVertical aria-hidden="true" />
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        {status === "open" ? (
          <DropdownMenuItem onSelect={() => void actions.claim(number)}>Claim it</DropdownMenuItem>
        ) : null}
        {over ? null : <DropdownMenuItem onSelect={form("finish")}>Finish it…</DropdownMenuItem>}
        {status === "claimed" ? (
          <DropdownMenuItem onSelect={() => void actions.free(number)}>Give it back</DropdownMenuItem>
        ) : null}
        {over || status === "blocked" ? null : <DropdownMenuItem onSelect={form("block")}>Block it…</DropdownMenuItem>}
        {status === "blocked" && task.blockedBy.length === 0 ? (
          <DropdownMenuItem onSelect={() => void actions.free(number)}>Unblock it</DropdownMenuItem>
        ) : null}
        {status === "done" ? (
          <>
            <DropdownMenuItem onSelect={() => void actions.verify(number, true)}>
              I checked it: it holds
            </DropdownMenuItem>
            <DropdownMenuItem onSelect={() => void actions.verify(number, false)}>
              I checked it: it does not hold
            </DropdownMenuItem>
          </>
        ) : null}
        {over ? <DropdownMenuItem onSelect={() => void actions.free(number)}>Open it again</DropdownMenuItem> : null}
        {over ? null : (
          <>
            <DropdownMenuSeparator />
            <DropdownMenuItem onSelect={() => void actions.prioritise(new Map([[number, task.priority + 1]]))}>
              Raise its priority
            </DropdownMenuItem>
            <DropdownMenuItem onSelect={() => void actions.prioritise(new Map([[number, task.priority - 1]]))}>
              Lower its priority
            </DropdownMenuItem>
            <DropdownMenuSeparator />
            <DropdownMenuItem variant="destructive" onSelect={() => void actions.drop(number)}>
              Drop it
            </DropdownMenuItem>
          </>
        )}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
