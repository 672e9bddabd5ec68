import { Link } from "@tanstack/react-router";
import { CircleHelp, Hourglass, KeyRound, MessageSquareReply, Moon, OctagonAlert } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { AskCard } from "@/components/ask-card.tsx";
import { Refused } from "@/components/refused.tsx";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Button } from "@/components/ui/button";
import { call, type Refusal } from "@/lib/call.ts";
import { cn } from "@/lib/utils.ts";
import { NameInput, useIntroduction } from "@/people/introduction.tsx";
import { useMe } from "@/people/me.ts";
import { visible, visibleName } from "@/session/markdown/visible.ts";
import { AnswerPermission, type Need } from "@/sessions/queries.ts";
import { useCommands } from "@/shell/commands.ts";
import { type PermissionOption, permissionWords } from "./permission-words.ts";

const SHOWN = 4;

const KINDS = {
  question: { icon: CircleHelp, says: "asks" },
  permission: { icon: KeyRound, says: "asks for permission" },
  blocker: { icon: OctagonAlert, says: "is stuck" },
  stalled: { icon: Hourglass, says: "has fallen silent" },
  idle: { icon: Moon, says: "" },
};

/** What waits for a person, over all sessions, each answered where it stands. */
export function NeedsYou({ needs, onAnswered }: { needs: Need[]; onAnswered: () => void }) {
  const [all, setAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const toFirst = () => list.current?.querySelector<HTMLElement>("button, a")?.focus();
  useCommands([
    { id: "needs.first", title: "What needs you", group: "Sessions", keys: "i", icon: CircleHelp, run: toFirst },
  ]);
  if (needs.length === 0) return null;
  const shown = all ? needs : needs.slice(0, SHOWN);
  return (
    <section aria-label="Needs you" className="flex flex-col gap-2 rounded-lg border border-primary/40 bg-card p-3">
      <h2 className="flex items-center gap-2 text-sm font-semibold">
        Needs you
        <span className="rounded-full bg-primary px-1.5 text-xs text-primary-foreground tabular-nums">
          {needs.length}
        </span>
        {needs.length > SHOWN && (
          <Button
            variant="ghost"
            size="sm"
            className="ml-auto h-6 px-2 text-xs"
            aria-expanded={all}
            onClick={() => setAll(!all)}
          >
            {all ? "Fewer" : `All ${needs.length}`}
          </Button>
        )}
      </h2>
      <ul ref={list} className={cn("grid gap-2 lg:grid-cols-2", !all && "max-sm:[&>li:nth-child(n+3)]:hidden")}>
        {shown.map((need) => (
          <NeedCard key={need.id} need={need} onAnswered={onAnswered} />
        ))}
      </ul>
    </section>
  );
}

function NeedCard({ need, onAnswered }: { need: Need; onAnswered: () => void }) {
  const { icon: Icon, says } = KINDS[need.kind as keyof typeof KINDS] ?? KINDS.question;
  const text = visible(need.text ?? "");
  return (
    <li className="min-w-0 rounded-md border bg-background p-2.5 text-sm">
      <p className="flex min-w-0 items-center gap-1.5 text-xs text-muted-foreground">
        <Icon aria-hidden className="size-3.5 shrink-0 text-primary" />
        <span className="min-w-0 truncate">
          {need.teamName && <bdi className="font-medium text-foreground">{visibleName(need.teamName)}</bdi>}{" "}
          {sentenceOf(need, says)}
          {" in "}
          <Link
            to="/s/$ref"
            params={{ ref: need.ref }}
            hash={need.cursor ? String(need.cursor) : ""}
            className="font-medium text-foreground underline-offset-2 hover:underline"
          >
            <bdi>{visibleName(need.title)}</bdi>
          </Link>
        </span>
        {need.at && <RelativeTime at={need.at} className="ml-auto shrink-0" />}
      </p>
      {text && <p className="mt-1 line-clamp-3 break-words whitespace-pre-wrap">{text}</p>}
      <Answer need={need} onAnswered={onAnswered} />
    </li>
  );
}

function sentenceOf({ kind, task }: Need, says: string): string {
  if (kind === "idle") return "Everybody waits, and nobody says anything";
  if (kind === "stalled") return `holds task ${task} and ${says},`;
  if (kind === "blocker" && task) return `Task ${task} is blocked`;
  return says;
}

function Answer({ need, onAnswered }: { need: Need; onAnswered: () => void }) {
  const isPerson = Boolean(useMe()?.person);
  if (need.kind === "permission") return <Permission need={need} onAnswered={onAnswered} />;
  if (need.cursor === null) {
    return (
      <Button asChild size="sm" variant="outline" className="mt-2 h-7">
        <Link to="/s/$ref" params={{ ref: need.ref }}>
          Look at it
        </Link>
      </Button>
    );
  }
  const { options, default: fallback, expiresAt } = need;
  const none = { answer: null, answeredBy: null, answeredAt: null, expired: false };
  const ask = need.ask ? { options, default: fallback, expiresAt, open: true, ...none } : null;
  const card = <AskCard sessionId={need.sessionId} sequence={need.cursor} ask={ask} open onAnswered={onAnswered} />;
  // Options are one click; whatever wants words, or a name first, opens when it is its turn.
  return <Folded unless={options.length > 0 && isPerson}>{card}</Folded>;
}

/** Always around it: whoever says their name while they answer keeps what they have written. */
function Folded({ unless, children }: { unless: boolean; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  if (open || unless) return children;
  return (
    <Button size="sm" variant="outline" className="mt-2 h-7" onClick={() => setOpen(true)}>
      <MessageSquareReply aria-hidden /> Answer
    </Button>
  );
}

/** What an agent wants to be allowed: its own options, as the runner has told them. */
function Permission({ need, onAnswered }: { need: Need; onAnswered: () => void }) {
  const introduction = useIntroduction();
  const [refusal, setRefusal] = useState<Refusal>();
  const choices = Array.isArray(need.choices) ? (need.choices as PermissionOption[]) : [];
  const choose = async (option: string) => {
    const { sessionId: id, handle, request } = need;
    const refused =
      (await introduction.say()) ??
      (await call(AnswerPermission, { id, handle: handle ?? "", request: request ?? "", option })).refusal;
    setRefusal(refused);
    if (!refused) onAnswered();
  };
  return (
    <div className="mt-2 flex flex-wrap items-center gap-2">
      <NameInput introduction={introduction} className="h-8 max-w-60" />
      {choices.map((choice) => (
        <Button key={choice.option} size="sm" variant="outline" onClick={() => choose(choice.option)}>
          <bdi>{permissionWords(choice)}</bdi>
        </Button>
      ))}
      <Refused refusal={refusal} />
    </div>
  );
}
