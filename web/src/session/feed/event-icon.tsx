import {
  Bot,
  CircleCheck,
  CircleDot,
  CircleHelp,
  Flag,
  GitBranch,
  Hand,
  ListPlus,
  LogIn,
  LogOut,
  type LucideIcon,
  Pause,
  PencilLine,
  Play,
  TriangleAlert,
  UserX,
} from "lucide-react";

const ICONS: [RegExp, LucideIcon, string?][] = [
  [/^team_joined$/, LogIn],
  [/^team_left$/, LogOut],
  [/^team_removed$/, UserX, "text-destructive"],
  [/^team_interrupted$/, Hand, "text-destructive"],
  [/^tasks_added$/, ListPlus],
  [/^task_(done|verified)$/, CircleCheck, "text-active-foreground"],
  [/^(task_blocked|paths_overlap)$/, TriangleAlert, "text-idle-foreground"],
  [/^task_/, CircleDot],
  [/^child_/, GitBranch],
  [/^session_paused$/, Pause, "text-idle-foreground"],
  [/^session_unpaused$/, Play],
  [/^session_concluded$/, Flag, "text-active-foreground"],
  [/^session_/, PencilLine],
  [/^(ask|question)_/, CircleHelp],
  [/^run_/, Bot],
];

export function EventIcon({ event }: { event: unknown }) {
  const name = String(event);
  const [, Icon, colour = ""] = ICONS.find(([pattern]) => pattern.test(name)) ?? [/$/, CircleDot];
  return <Icon aria-hidden="true" className={`size-3.5 shrink-0 self-center ${colour}`} />;
}
