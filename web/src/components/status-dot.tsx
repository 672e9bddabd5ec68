import { cn } from "@/lib/utils.ts";

const COLOURS: Record<string, string> = {
  active: "bg-active",
  idle: "bg-idle",
  disconnected: "bg-disconnected",
};

/** A team's presence: a dot and the word, never the colour alone. */
export function StatusDot({ status, hideWord, className }: { status: string; hideWord?: boolean; className?: string }) {
  return (
    <span className={cn("inline-flex items-center gap-1.5 text-xs text-muted-foreground", className)}>
      <span aria-hidden className={cn("size-2 shrink-0 rounded-full", COLOURS[status] ?? COLOURS.disconnected)} />
      <span className={cn(hideWord && "sr-only")}>{status}</span>
    </span>
  );
}
