import { BellDot } from "lucide-react";
import { useEffect, useState } from "react";
import { AskCard } from "@/components/ask-card.tsx";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Button } from "@/components/ui/button";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import { useActions } from "../actions/actions-provider.tsx";
import { AskedCard, keyOf, useAsked } from "../agents/asked.tsx";
import { HUMANS } from "../composer/mentions.ts";
import { JumpLink } from "../feed/jump-link.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { contentOf, type Message } from "../queries.ts";
import { useSession, useSessionStore } from "../store/session-provider.tsx";
import { transport } from "../store/transport.ts";
import { nameOfTeam } from "../team-name.ts";

/** What waits for a person: answered from wherever one is in the feed. */
export function NeedsYou() {
  const head = useSession((session) => session.head);
  const roster = useSession((session) => session.participants);
  const { standing } = useActions();
  const questions = useQuestions().filter(({ addressedTo }) =>
    addressedTo?.some((handle) => handle === HUMANS || handle === standing?.handle),
  );
  const asked = useAsked();
  const count = questions.length + asked.length;
  if (count === 0 || head.status === "closed") return null;
  const what = asked.length === 0 ? "question" : "thing";
  const words = count === 1 ? `1 ${what} needs you` : `${count} ${what}s need you`;
  return (
    <Popover>
      <PopoverTrigger asChild>
        <Button
          size="sm"
          variant="secondary"
          className="h-8 shrink-0 gap-1 bg-highlight px-2 tabular-nums hover:bg-highlight/80"
          title={words}
        >
          <BellDot aria-hidden />
          <span className="sr-only">{words}</span>
          <span aria-hidden>
            <span className="max-lg:hidden">Needs you</span> {count}
          </span>
        </Button>
      </PopoverTrigger>
      <PopoverContent
        align="end"
        aria-label="What needs you"
        className="max-h-[70vh] w-[28rem] max-w-[calc(100vw-1.5rem)] overflow-y-auto p-0"
      >
        <ul className="divide-y">
          {asked.map((permission) => (
            <li key={keyOf(permission)} className="px-3 pt-1 pb-3">
              <AskedCard permission={permission} />
            </li>
          ))}
          {questions.map((message) => (
            <li key={message.sequence} className="p-3 text-sm">
              <p className="flex flex-wrap gap-x-2 text-xs text-muted-foreground">
                <bdi className="font-medium text-foreground">
                  {message.postedBy ? nameOfTeam(message.postedBy, roster) : ""}
                </bdi>
                <RelativeTime at={message.postedAt} />
                <JumpLink to={message.sequence}>#{message.sequence}</JumpLink>
              </p>
              <div className="mt-1 max-h-40 overflow-y-auto">
                <Markdown text={String(contentOf(message).text ?? "")} />
              </div>
              <AskCard
                sessionId={head.id}
                sequence={message.sequence}
                ask={message.ask}
                open
                mayAnswer={standing?.mayWrite === true}
              />
            </li>
          ))}
        </ul>
      </PopoverContent>
    </Popover>
  );
}

/** The open questions, oldest first, wherever in the feed they stand. */
function useQuestions(): Message[] {
  const store = useSessionStore();
  const open = useSession((session) => session.openQuestions);
  const [read, setRead] = useState<ReadonlyMap<number, Message>>(new Map());
  useEffect(() => {
    for (const sequence of open) {
      if (read.has(sequence)) continue;
      const known = store.feed.get(sequence);
      const found = known ? Promise.resolve(known) : transport.readMessage(store.session?.head.id ?? "", sequence);
      found.then(
        (message) => message && setRead((before) => new Map([...before, [sequence, message]])),
        () => undefined,
      );
    }
  }, [store, open, read]);
  return open.flatMap((sequence) => read.get(sequence) ?? []);
}
