import { useShow } from "../use-show.ts";

interface TaskLinkProps {
  task: number;
  title?: string;
  children?: React.ReactNode;
  className?: string;
}

/** Leads to a task in the list of work. */
export function TaskLink({ task, title, children, className = "" }: TaskLinkProps) {
  const show = useShow();
  return (
    <button
      type="button"
      title={title}
      className={`rounded-sm underline decoration-border underline-offset-2 hover:decoration-current ${className}`}
      onClick={() => show({ tab: "work", task })}
    >
      {children ?? `task ${task}`}
    </button>
  );
}
