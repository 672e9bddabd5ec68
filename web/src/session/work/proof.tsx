import { BadgeCheck, CircleHelp, CircleX, History, type LucideIcon } from "lucide-react";

const LOOKS: Record<string, { icon: LucideIcon; look: string; meaning: string }> = {
  reported: { icon: CircleHelp, look: "", meaning: "Its team says so; nobody has checked" },
  verified: { icon: BadgeCheck, look: "text-active-foreground", meaning: "Another team or a person has checked it" },
  refuted: { icon: CircleX, look: "text-destructive", meaning: "It was checked, and does not hold" },
  stale: { icon: History, look: "text-idle-foreground", meaning: "Its branch has moved on since it was checked" },
};

/** What stands behind a task that is done. */
export function Proof({ proof }: { proof: string }) {
  const known = LOOKS[proof];
  if (!known) return null;
  const { icon: Icon, look, meaning } = known;
  return (
    <span title={meaning} className={`inline-flex items-center gap-1 ${look}`}>
      <Icon aria-hidden="true" className="size-3.5" />
      {proof}
    </span>
  );
}
