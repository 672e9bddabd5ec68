import { Link } from "@tanstack/react-router";
import { CircleHelp, Hourglass, KeyRound, Moon, OctagonAlert } from "lucide-react";
import { AskCard } from "@/components/ask-card.tsx";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Button } from "@/components/ui/button";
import { oneLineWithCode } from "@/lib/message-text.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import { InlineCode } from "@/session/now/inline-code.tsx";
import { PermissionAnswers } from "./permission-answers.tsx";
import type { PermissionOption } from "./permission-words.ts";
import type { Need } from "./queries.ts";

const KINDS = {
  question: { icon: CircleHelp, says: "asks" },
  permission: { icon: KeyRound, says: "asks for permission" },
  blocker: { icon: OctagonAlert, says: "is stuck" },
  stalled: { icon: Hourglass, says: "has fallen silent" },
  idle: { icon: Moon, says: "" },
};

interface NeedCardProps {
  need: Need;
  /** On the page of its session it goes without saying which that is. */
  here?: boolean;
  mayAnswer?: boolean;
  onAnswered?: () => void;
}

/** Something that waits for a person: who, where, since when, and its answers. */
export function NeedCard({ need, here = false, mayAnswer = true, onAnswered }: NeedCardProps) {
  const { icon: Icon, says } = KINDS[need.kind as keyof typeof KINDS] ?? KINDS.question;
  const text = oneLineWithCode(need.text ?? "");
  return (
    <li className="min-w-0 rounded-md border bg-background p-2.5 text-sm">
      <p className="flex min-w-0 items-center gap-1.5 text-xs text-muted-foreground">
        <Icon aria-hidden className="size-3.5 shrink-0 text-primary" />
        <span className="min-w-0 truncate">
          {need.teamName && <bdi className="font-medium text-foreground">{visibleName(need.teamName)}</bdi>}{" "}
          {sentenceOf(need, says)}
          {here ? null : (
            <>
              {" in "}
              <PlaceLink need={need} className="font-medium text-foreground underline-offset-2 hover:underline">
                <bdi>{visibleName(need.title)}</bdi>
              </PlaceLink>
            </>
          )}
        </span>
        {here && need.cursor ? (
          <PlaceLink need={need} className="hover:text-foreground hover:underline">
            #{need.cursor}
          </PlaceLink>
        ) : null}
        {need.at && <RelativeTime at={need.at} className="ml-auto shrink-0" />}
      </p>
      {text && (
        <p className="mt-1 line-clamp-3 break-words">
          <InlineCode text={text} />
        </p>
      )}
      <Answer need={need} mayAnswer={mayAnswer} onAnswered={onAnswered} />
    </li>
  );
}

function sentenceOf({ kind, task }: Need, says: string): string {
  if (kind === "idle") return "Everybody waits, and nobody says anything";
  if (kind === "stalled") return `holds task ${task} and ${says}`;
  if (kind === "blocker" && task) return `Task ${task} is blocked`;
  return says;
}

/** To the message, or to the task among the others. */
function PlaceLink({ need, ...rest }: { need: Need; className?: string; children: React.ReactNode }) {
  const search = need.task === null ? {} : ({ tab: "work", task: need.task } as const);
  return (
    <Link
      to="/s/$ref"
      params={{ ref: need.ref }}
      search={search}
      hash={need.cursor ? String(need.cursor) : ""}
      {...rest}
    />
  );
}

function Answer({
  need,
  mayAnswer,
  onAnswered,
}: Required<Pick<NeedCardProps, "need" | "mayAnswer">> & Pick<NeedCardProps, "onAnswered">) {
  const { sessionId, handle, request, cursor, options, default: fallback, expiresAt } = need;
  if (need.kind === "permission") {
    const choices = Array.isArray(need.choices) ? (need.choices as PermissionOption[]) : [];
    return (
      <div className="mt-2 flex flex-col gap-2">
        <PermissionAnswers
          sessionId={sessionId}
          handle={handle ?? ""}
          request={request ?? ""}
          options={choices}
          onAnswered={onAnswered}
        />
      </div>
    );
  }
  if (cursor === null) {
    return (
      <Button asChild size="sm" variant="outline" className="mt-2 h-7">
        <PlaceLink need={need}>{need.task === null ? "Look at it" : `Look at task ${need.task}`}</PlaceLink>
      </Button>
    );
  }
  const none = { answer: null, answeredBy: null, answeredAt: null, expired: false };
  const ask = need.ask ? { options, default: fallback, expiresAt, open: true, ...none } : null;
  return (
    <AskCard
      bare
      open
      sessionId={sessionId}
      sequence={cursor}
      ask={ask}
      mayAnswer={mayAnswer}
      onAnswered={onAnswered}
    />
  );
}
