import { cn } from "@/lib/utils.ts";

const STYLES: Record<string, string> = {
  live: "border-active/40 bg-active/10 text-active-foreground",
  quiet: "border-border bg-muted text-muted-foreground",
  concluded: "border-border text-muted-foreground",
};

/** live, quiet or concluded, as the server says. */
export function SessionState({ state, className }: { state: string; className?: string }) {
  return (
    <span
      className={cn(
        "inline-flex w-fit items-center gap-1.5 rounded-full border px-2 py-px text-xs font-medium",
        STYLES[state] ?? STYLES.quiet,
        className,
      )}
    >
      {state === "live" && <span aria-hidden className="size-1.5 rounded-full bg-active" />}
      {state}
    </span>
  );
}
