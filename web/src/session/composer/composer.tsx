import { Eye, Pencil, SendHorizontal } from "lucide-react";
import { type FocusEvent, type FormEvent, type KeyboardEvent, useRef, useState } from "react";
import { Choice } from "@/components/choice.tsx";
import { Refused } from "@/components/refused.tsx";
import { Button } from "@/components/ui/button";
import type { Refusal } from "@/lib/call.ts";
import { NameInput, useIntroduction } from "@/people/introduction.tsx";
import { IN_SESSION, shownKeys, useCommands } from "@/shell/commands.ts";
import { Markdown } from "../markdown/markdown.tsx";
import type { PendingMessage } from "../store/pending.ts";
import { useSession, useSessionStore } from "../store/session-provider.tsx";
import { Addressees } from "./addressees.tsx";
import { Completion } from "./completion.tsx";
import { isEmpty } from "./draft.ts";
import { mentionsIn } from "./mentions.ts";
import { send, useOutbox } from "./outbox.ts";
import { PendingWords } from "./pending-words.tsx";
import { focusedMessage, replyTo, useReplies } from "./reply.ts";
import { ReplyLine } from "./reply-line.tsx";
import { useAnswered } from "./use-answered.ts";
import { useCompletion } from "./use-completion.ts";
import { useDraft } from "./use-draft.ts";

const SEND_KEYS = shownKeys("mod+Enter");

const KINDS = {
  message: "Message",
  question: "Question",
  answer: "Answer",
  decision: "Decision",
  status: "Status",
  blocker: "Blocker",
};

/** Where a person speaks in a session. The handle is theirs, once they have. */
export function Composer({ handle }: { handle: string | null }) {
  const store = useSessionStore();
  const sessionId = useSession(({ head }) => head.id);
  const roster = useSession((session) => session.participants);
  const { draft, change, clear } = useDraft(sessionId);
  const pending = useOutbox();
  const introduction = useIntroduction();
  const [refusal, setRefusal] = useState<Refusal>();
  const [preview, setPreview] = useState(false);
  const [entered, setEntered] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const others = roster.filter((team) => !team.leftAt && team.handle !== handle);
  const completion = useCompletion(field, others, (text) => change({ text }));
  const answered = useAnswered(draft.replyTo);
  const named = mentionsIn(
    draft.text,
    others.map((team) => team.handle),
  );
  const to = [...new Set([...draft.to, ...named])];
  const expanded = entered || !isEmpty(draft);

  useCommands([
    {
      id: "session.write",
      title: "Write a message",
      group: IN_SESSION,
      keys: "c",
      icon: Pencil,
      run: () => field.current?.focus(),
    },
    {
      id: "session.reply",
      title: "Reply to the message",
      group: IN_SESSION,
      keys: "r",
      keysOnly: true,
      run: () => {
        const sequence = focusedMessage();
        if (sequence) replyTo(sequence);
      },
    },
  ]);
  useReplies((sequence) => {
    change({ replyTo: sequence });
    setPreview(false);
    field.current?.focus();
  });
  // An answer to a question is one without being told, unless its author has said what it is.
  const expectsReply = answered?.expectsReply ?? false;
  const kind = draft.kind === "message" && expectsReply ? "answer" : draft.kind;

  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    if (draft.text.trim() === "") return;
    const refused = await introduction.say();
    setRefusal(refused);
    if (refused) return;
    void send(store, { ...draft, kind, to });
    clear();
    setPreview(false);
    completion.close();
    field.current?.focus();
  };
  const edit = ({ key, text, kind, to, replyTo }: PendingMessage) => {
    store.drop(key);
    change({ kind, to, replyTo, text: [draft.text, text].filter(Boolean).join("\n\n") });
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (completion.onKey(event)) return;
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) void submit(event);
    else if (event.key === "Escape") {
      if (draft.replyTo !== undefined) change({ replyTo: undefined });
      else field.current?.blur();
    }
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (currentTarget.contains(relatedTarget) || relatedTarget?.closest("[role=menu],[role=listbox]")) return;
    setEntered(false);
    completion.close();
  };

  return (
    <section
      aria-label="Write"
      className="shrink-0 border-t bg-background px-3 py-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]"
    >
      <PendingWords pending={pending} onEdit={edit} />
      <form onSubmit={submit} onFocus={() => setEntered(true)} onBlur={onBlur}>
        {draft.replyTo === undefined ? null : (
          <ReplyLine
            sequence={draft.replyTo}
            message={answered}
            roster={roster}
            onDrop={() => change({ replyTo: undefined })}
          />
        )}
        {introduction.needed && expanded ? (
          <NameInput introduction={introduction} className="mb-1.5 h-8 max-w-60" />
        ) : null}
        <div className="relative flex flex-col rounded-lg border border-input bg-card shadow-xs focus-within:border-ring">
          {completion.open ? (
            <Completion
              id={completion.id}
              suggested={completion.suggested}
              chosen={completion.chosen}
              onPick={completion.pick}
            />
          ) : null}
          <div className="flex items-end">
            {preview ? (
              <div className="max-h-60 min-h-10 min-w-0 flex-1 overflow-y-auto px-3 py-2 text-sm">
                <Markdown text={draft.text} />
              </div>
            ) : null}
            <textarea
              ref={field}
              rows={1}
              aria-label="Message"
              placeholder="Write to the teams; @ names one"
              value={draft.text}
              onChange={(event) => change({ text: event.target.value })}
              onSelect={completion.look}
              onKeyDown={onKeyDown}
              {...completion.control}
              className={`field-sizing-content max-h-60 min-h-10 min-w-0 flex-1 resize-none bg-transparent px-3 py-2.5 text-base leading-5 outline-none placeholder:text-muted-foreground md:text-sm ${preview ? "hidden" : ""}`}
            />
            <Button
              type="submit"
              size="icon"
              variant={draft.text.trim() ? "default" : "ghost"}
              className="m-1 size-8"
              disabled={draft.text.trim() === ""}
              aria-label="Send"
              title={`Send (${SEND_KEYS})`}
            >
              <SendHorizontal aria-hidden />
            </Button>
          </div>
          {expanded ? (
            <div className="flex min-w-0 items-center gap-1 px-1.5 pb-1.5">
              <Choice
                label="Kind"
                value={kind}
                choices={KINDS}
                onChange={(chosen) => change({ kind: chosen })}
                className="h-7! w-auto shrink-0 border-0 px-2 text-xs shadow-none dark:bg-transparent"
              />
              <Addressees
                teams={others}
                to={to}
                named={named}
                onChange={(chosen) => change({ to: chosen.filter((one) => !named.includes(one)) })}
              />
              <Button
                type="button"
                variant="ghost"
                size="sm"
                className="ml-auto h-7 px-2 text-xs font-normal text-muted-foreground"
                aria-pressed={preview}
                disabled={draft.text.trim() === ""}
                onClick={() => setPreview(!preview)}
              >
                {preview ? <Pencil aria-hidden /> : <Eye aria-hidden />} {preview ? "Write" : "Preview"}
              </Button>
              <span aria-hidden className="px-1 text-xs text-muted-foreground max-sm:hidden">
                {SEND_KEYS}
              </span>
            </div>
          ) : null}
        </div>
        <Refused refusal={refusal} className="mt-1.5" />
      </form>
    </section>
  );
}
