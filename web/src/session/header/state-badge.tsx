import { Badge } from "@/components/ui/badge";
import type { SessionHead } from "../queries.ts";

const LOOKS: Record<SessionHead["state"], { dot: string; meaning: string }> = {
  live: { dot: "bg-active", meaning: "Teams are here" },
  quiet: { dot: "bg-idle", meaning: "Open, but nobody is active" },
  concluded: { dot: "bg-disconnected", meaning: "Closed, with a conclusion in the document" },
};

export function StateBadge({ state }: { state: SessionHead["state"] }) {
  const { dot, meaning } = LOOKS[state] ?? LOOKS.quiet;
  return (
    <Badge variant="outline" title={meaning} className="gap-1.5">
      <span aria-hidden="true" className={`size-2 rounded-full ${dot}`} />
      {state}
    </Badge>
  );
}
