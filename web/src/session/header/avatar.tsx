import { cn } from "@/lib/utils.ts";
import { initials } from "../initials.ts";
import { TEAM_INK, teamColour } from "../team-colour.ts";

/** A full ring listens, a broken one works, none is silent, and who has left is faded: seen without colours, too. */
const RINGS: Record<string, string> = {
  listening: "outline-2 outline-offset-1 outline-solid outline-active",
  working: "outline-2 outline-offset-1 outline-dashed outline-idle",
  silent: "opacity-70",
  left: "opacity-40 grayscale",
};

interface AvatarProps {
  id: number;
  name: string;
  /** Without it there is no ring: when all is said, nobody is at anything. */
  activity?: string | undefined;
  className?: string;
}

/** A team at a glance. It stands beside its name, or in something that names it. */
export function Avatar({ id, name, activity, className }: AvatarProps) {
  return (
    <span
      aria-hidden
      className={cn(
        "grid size-6 shrink-0 place-items-center rounded-full text-[10px] font-semibold select-none",
        activity && RINGS[activity],
        className,
      )}
      style={{ background: teamColour(id), color: TEAM_INK }}
    >
      {initials(name)}
    </span>
  );
}
