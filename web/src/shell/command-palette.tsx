import { useNavigate } from "@tanstack/react-router";
import { Zap } from "lucide-react";
import { useDeferredValue, useRef, useState } from "react";
import { useQuery } from "urql";
import { StateBadge } from "@/components/state-badge.tsx";
import {
  Command as CommandBox,
  CommandEmpty,
  CommandGroup,
  CommandInput,
  CommandItem,
  CommandList,
} from "@/components/ui/command";
import { Dialog, DialogContent, DialogDescription, DialogTitle } from "@/components/ui/dialog";
import { Kbd } from "@/components/ui/kbd";
import { graphql } from "@/lib/graphql.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import { ActiveOption } from "./active-option.tsx";
import { type Command, keysOf, runCommand, shownKeys, useListedCommands } from "./commands.ts";
import { FoundGroup, useFoundPlaces } from "./found-places.tsx";

const PaletteSessions = graphql(`
  query PaletteSessions($search: String) {
    findSessions(search: $search, first: 8) {
      nodes {
        id
        ref
        title
        state
      }
    }
  }
`);

export default function CommandPalette(props: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const navigate = useNavigate();
  const [words, setWords] = useState("");
  const search = useDeferredValue(words.trim());
  const [{ data, operation }] = useQuery({
    query: PaletteSessions,
    variables: { search: search || null },
  });
  // What was found for other words is not what Enter shall open.
  const isAnswer = (operation?.variables.search ?? "") === search;
  const sessions = (isAnswer && data?.findSessions?.nodes) || [];
  const listed = useListedCommands();
  const commands = listed.filter(
    ({ title, group, keysOnly }) => !keysOnly && `${title} ${group}`.toLowerCase().includes(search.toLowerCase()),
  );
  // What the page adds stands before what is there on every page.
  const groups = Object.entries(Object.groupBy(commands, ({ group }) => group)).reverse();

  const { messages, docs, searching } = useFoundPlaces(search);

  // The first that is shown: the list is scrolled to it.
  const shown = [...sessions, ...groups.flatMap(([, ofGroup = []]) => ofGroup), ...messages, ...docs];
  const best = shown[0]?.id ?? "";
  const [pointedAt, pointAt] = useState({ best, id: best });
  const selected = pointedAt.best === best ? pointedAt.id : best;

  const box = useRef<HTMLDivElement>(null);

  // It runs when the palette has gone: what it focuses keeps the focus.
  const chosen = useRef<() => void>(undefined);
  const closeAnd = (run: () => void) => () => {
    chosen.current = run;
    props.onOpenChange(false);
  };
  const onClosed = (event: Event) => {
    if (!chosen.current) return;
    event.preventDefault();
    chosen.current();
  };

  return (
    <Dialog {...props}>
      <DialogContent
        showCloseButton={false}
        onCloseAutoFocus={onClosed}
        className="top-[12%] translate-y-0 overflow-hidden p-0"
      >
        <DialogTitle className="sr-only">Go to</DialogTitle>
        <DialogDescription className="sr-only">
          Type to find a session, a command, or what was said and written in any session
        </DialogDescription>
        {/* The server has searched: what it found is shown as it is. */}
        <CommandBox ref={box} shouldFilter={false} value={selected} onValueChange={(id) => pointAt({ best, id })}>
          <CommandInput
            autoFocus
            value={words}
            onValueChange={setWords}
            placeholder="Find sessions, words, commands…"
          />
          <CommandList className="max-h-[60dvh] p-1">
            <CommandEmpty>{searching ? "Looking…" : "Nothing found."}</CommandEmpty>
            {sessions.length > 0 && (
              <CommandGroup heading="Sessions">
                {sessions.map(({ id, ref, title, state }) => (
                  <CommandItem
                    key={id}
                    value={id}
                    onSelect={closeAnd(() => navigate({ to: "/s/$ref", params: { ref } }))}
                  >
                    <bdi className="truncate">{visibleName(title)}</bdi>
                    <span className="hidden shrink-0 font-mono text-xs text-muted-foreground sm:inline">{ref}</span>
                    <StateBadge state={state} className="ml-auto" />
                  </CommandItem>
                ))}
              </CommandGroup>
            )}
            {groups.map(([group, ofGroup = []]) => (
              <CommandGroup key={group} heading={group}>
                {ofGroup.map((command) => (
                  <CommandRow key={command.id} command={command} onSelect={closeAnd(() => runCommand(command.id))} />
                ))}
              </CommandGroup>
            ))}
            <FoundGroup heading="Messages" places={messages} onChoose={closeAnd} />
            <FoundGroup heading="Documents" places={docs} onChoose={closeAnd} />
          </CommandList>
          <ActiveOption box={box} />
        </CommandBox>
      </DialogContent>
    </Dialog>
  );
}

function CommandRow({ command, onSelect }: { command: Command; onSelect: () => void }) {
  const Icon = command.icon ?? Zap;
  return (
    <CommandItem value={command.id} onSelect={onSelect}>
      <Icon aria-hidden /> {command.title}
      <span className="ml-auto flex gap-1">
        {keysOf(command).map((keys) => (
          <Kbd key={keys}>{shownKeys(keys)}</Kbd>
        ))}
      </span>
    </CommandItem>
  );
}
