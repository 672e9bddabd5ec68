import { cn } from "@/lib/utils.ts";

const LOOKS: Record<string, string> = {
  listening: "bg-active",
  working: "bg-idle",
  silent: "bg-disconnected",
  left: "border border-disconnected",
};

export const LIVELIEST_FIRST = Object.keys(LOOKS);

/** What a team is at: a dot and the word, never the colour alone. */
export function ActivityDot(props: { activity: string; hideWord?: boolean; className?: string }) {
  const { activity, hideWord, className } = props;
  return (
    <span className={cn("inline-flex items-center gap-1.5 text-xs text-muted-foreground", className)}>
      <span aria-hidden className={cn("size-2 shrink-0 rounded-full", LOOKS[activity] ?? LOOKS.silent)} />
      <span className={cn(hideWord && "sr-only")}>{activity}</span>
    </span>
  );
}
