import type { Refusal } from "@/lib/call.ts";
import { cn } from "@/lib/utils.ts";

/** What the server would not do, and what it says to do about it. */
export function Refused({ refusal, className }: { refusal: Refusal | undefined; className?: string }) {
  if (!refusal) return null;
  return (
    <p role="alert" className={cn("text-sm break-words", className)}>
      <span className="text-destructive">{refusal.message}</span>{" "}
      {refusal.hint && <span className="text-muted-foreground">{refusal.hint}</span>}
    </p>
  );
}
