import { cn } from "@/lib/utils.ts";

const QUIET = {
  look: "border-border bg-muted text-muted-foreground",
  dot: "bg-idle",
  meaning: "Open, but nobody has called lately",
};
const LOOKS: Record<string, typeof QUIET> = {
  live: {
    look: "border-active/40 bg-active/10 text-active-foreground",
    dot: "bg-active",
    meaning: "Teams are at work",
  },
  concluded: {
    look: "border-border text-muted-foreground",
    dot: "bg-disconnected",
    meaning: "Closed, with a conclusion in the document",
  },
};

/** live, quiet or concluded, as the server says. */
export function StateBadge({ state, className }: { state: string; className?: string }) {
  const { look, dot, meaning } = LOOKS[state] ?? QUIET;
  return (
    <span
      title={meaning}
      className={cn(
        "inline-flex w-fit shrink-0 items-center gap-1.5 rounded-full border px-2 py-px text-xs font-medium whitespace-nowrap",
        look,
        className,
      )}
    >
      <span aria-hidden className={cn("size-1.5 rounded-full", dot)} />
      {state}
    </span>
  );
}
