import { Badge } from "@/components/ui/badge";

const QUIET = { dot: "bg-idle", meaning: "Open, but nobody has called lately" };
const LOOKS: Record<string, typeof QUIET> = {
  live: { dot: "bg-active", meaning: "Teams are at work" },
  concluded: { dot: "bg-disconnected", meaning: "Closed, with a conclusion in the document" },
};

export function StateBadge({ state }: { state: string }) {
  const { dot, meaning } = LOOKS[state] ?? QUIET;
  return (
    <Badge variant="outline" title={meaning} className="gap-1.5">
      <span aria-hidden="true" className={`size-2 rounded-full ${dot}`} />
      {state}
    </Badge>
  );
}
