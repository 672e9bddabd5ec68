import { Activity, CircleCheckBig, CircleHelp, type LucideIcon, MessageCircleReply, OctagonAlert } from "lucide-react";

interface Look {
  icon: LucideIcon;
  /** Of icon and word. */
  text: string;
  /** Of the bar beside what was said. */
  bar: string;
}

const BLOCKER: Look = { icon: OctagonAlert, text: "text-destructive", bar: "border-destructive" };

const LOOKS: Record<string, Look> = {
  question: { icon: CircleHelp, text: "text-idle-foreground", bar: "border-idle" },
  answer: { icon: MessageCircleReply, text: "text-active-foreground", bar: "border-active" },
  decision: { icon: CircleCheckBig, text: "text-primary", bar: "border-primary" },
  status: { icon: Activity, text: "text-muted-foreground", bar: "border-disconnected" },
  blocker: BLOCKER,
  blocked: BLOCKER,
};

/** The kinds that there are words and looks for; teams may use others. */
export const KINDS = ["question", "answer", "decision", "status", "blocker", "message"];

export const barOf = (kind: string): string | undefined => LOOKS[kind]?.bar;

export function KindLabel({ kind }: { kind: string }) {
  const look = LOOKS[kind];
  const Icon = look?.icon;
  return (
    <span
      className={`max-w-40 shrink-0 truncate text-xs font-medium ${look?.text ?? "rounded border px-1 text-muted-foreground"}`}
      title={kind}
    >
      {Icon ? <Icon aria-hidden="true" className="mr-1 inline size-3.5 align-[-2.5px]" /> : null}
      {kind}
    </span>
  );
}
