import { Check, Clock, MessageSquareReply } from "lucide-react";
import { type KeyboardEvent, useEffect, useState } from "react";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Button } from "@/components/ui/button";
import { Textarea } from "@/components/ui/textarea";
import type { Refusal } from "@/lib/call.ts";
import { relativeTime, useNow } from "@/lib/time.ts";
import { cn } from "@/lib/utils.ts";
import { SignFirst, useSigning } from "@/people/introduction.tsx";
import { visibleName } from "@/session/markdown/visible.ts";
import { type Answer, type Ask, answer, readAsk } from "./ask.ts";
import { Refused } from "./refused.tsx";

interface AskCardProps {
  sessionId: string;
  /** Of the question. */
  sequence: number;
  /** Null for a question that was posted without ask_people: any reply answers it. */
  ask: Ask | null;
  /** Whether it still waits for an answer, as far as the page knows. */
  open: boolean;
  /** Whoever may not write is shown what could be answered. */
  mayAnswer?: boolean;
  /** Inside of a card that is about the question: it needs none of its own. */
  bare?: boolean;
  onAnswered?: () => void;
}

/** A question that waits for a person: its buttons, what happens when nobody presses one, and how it was settled. */
export function AskCard({ sessionId, sequence, ask, open, mayAnswer = true, bare = false, onAnswered }: AskCardProps) {
  const [reread, setReread] = useState<Ask>();
  const current = reread ?? ask;
  const outdated = current !== null && current.open === true && !open;
  useEffect(() => {
    if (outdated) void readAsk(sessionId, sequence).then((ask) => ask && setReread(ask));
  }, [outdated, sessionId, sequence]);

  if (current && !current.open) return <Settled ask={current} />;
  if (!open) return null;
  const settle = async () => {
    if (ask) setReread(await readAsk(sessionId, sequence));
    onAnswered?.();
  };
  return (
    <fieldset className={cn("mt-2 flex min-w-0 flex-col gap-2", !bare && "rounded-md border bg-card p-2.5")}>
      <legend className="sr-only">Answer #{sequence}</legend>
      {mayAnswer ? (
        <Answers sessionId={sessionId} sequence={sequence} ask={current} onAnswered={settle} />
      ) : (
        <p className="break-words text-muted-foreground">
          Waits for somebody who may answer
          {optionsOf(current)
            .map(visibleName)
            .map((option, n) => `${n ? ", " : ": "}${option}`)}
        </p>
      )}
      {current?.expiresAt && <Expiry at={current.expiresAt} fallback={current.default} />}
    </fieldset>
  );
}

function Settled({ ask: { answer, answeredBy, answeredAt, expired } }: { ask: Ask }) {
  const how = expired
    ? `Nobody answered in time${answer ? ": the answer is" : "."}`
    : answeredBy
      ? `${visibleName(answeredBy)} answered`
      : answeredAt
        ? "Withdrawn by who asked."
        : "The session ended without an answer.";
  const Icon = answeredBy ? Check : Clock;
  return (
    <p className="mt-1.5 flex flex-wrap items-baseline gap-x-1.5 text-sm">
      <Icon aria-hidden className="size-3.5 shrink-0 self-center text-muted-foreground" />
      <span className="text-muted-foreground">{how}</span>
      {answer && <bdi className="min-w-0 font-medium break-words">{visibleName(answer)}</bdi>}
      {answeredAt && <RelativeTime at={answeredAt} className="text-xs text-muted-foreground" />}
    </p>
  );
}

const optionsOf = (ask: Ask | null) => (ask?.options ?? []).filter((option) => option !== null);

interface AnswersProps {
  sessionId: string;
  sequence: number;
  ask: Ask | null;
  onAnswered: () => Promise<void>;
}

function Answers({ sessionId, sequence, ask, onAnswered }: AnswersProps) {
  const options = optionsOf(ask);
  const signing = useSigning<Answer>();
  const [words, setWords] = useState<string>();
  const [sending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();

  const send = async (given: Answer) => {
    if (!signing.isSigned(given)) return;
    setSending(true);
    const refused = (await signing.introduction.say()) ?? (await answer(sessionId, sequence, ask !== null, given));
    if (!refused) await onAnswered();
    setRefusal(refused);
    setSending(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") setWords(undefined);
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    void send({ text: words ?? "" });
  };

  return (
    <>
      <SignFirst
        signing={signing}
        wordsOf={({ option, text }) => `Answer “${visibleName(option ?? text).slice(0, 40)}”`}
        busy={sending}
        onSigned={send}
      />
      <div className="flex min-w-0 flex-wrap gap-2">
        {options.map((option) => (
          <Button
            key={option}
            size="sm"
            variant="outline"
            disabled={sending}
            className="h-auto min-h-8 max-w-full py-1 text-left whitespace-normal"
            onClick={() => send({ option })}
          >
            <bdi className="min-w-0 break-words">{visibleName(option)}</bdi>
            {option === ask?.default && <span className="text-xs font-normal text-muted-foreground">default</span>}
          </Button>
        ))}
        {words === undefined && (
          <Button size="sm" variant={options.length > 0 ? "ghost" : "outline"} onClick={() => setWords("")}>
            <MessageSquareReply aria-hidden /> {options.length > 0 ? "In your own words" : "Answer"}
          </Button>
        )}
      </div>
      {words !== undefined && (
        <div className="flex items-end gap-2">
          <Textarea
            autoFocus
            rows={1}
            aria-label={`Your answer to #${sequence}`}
            placeholder="Your answer"
            value={words}
            onChange={(event) => setWords(event.target.value)}
            onKeyDown={onKeyDown}
            className="max-h-40 min-h-9"
          />
          <Button size="sm" className="h-9" disabled={sending || !words.trim()} onClick={() => send({ text: words })}>
            Answer
          </Button>
        </div>
      )}
      <Refused refusal={refusal} />
    </>
  );
}

function Expiry({ at, fallback }: { at: string; fallback: string | null | undefined }) {
  const now = useNow(10_000);
  return (
    <p className="flex flex-wrap items-baseline gap-x-1 text-xs text-muted-foreground">
      <Clock aria-hidden className="size-3 shrink-0 self-center" />
      {Date.parse(at) > now ? `Time is over ${relativeTime(at, now)}` : "Time is over"}
      {fallback ? (
        <>
          ; then the answer is <bdi className="font-medium text-foreground">{visibleName(fallback)}</bdi>
        </>
      ) : (
        "; then it goes unanswered"
      )}
    </p>
  );
}
