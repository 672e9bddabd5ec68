import { AtSign, Search, X } from "lucide-react";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { Choice } from "@/components/choice.tsx";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { type SessionSearch, sessionRoute } from "@/router.tsx";
import { useSession, useSessionStore } from "../store/session-provider.tsx";
import { nameOf } from "../team-name.ts";
import { KINDS } from "./kinds.tsx";

const TYPING_MS = 100;
const CHOICE = "w-23 min-w-0 gap-0.5 px-1.5 sm:w-32 sm:gap-1 sm:px-2";
/** No team and no kind is called so. */
const ALL = "*";

interface FindBarProps {
  inputRef: RefObject<HTMLInputElement | null>;
  /** To the next hit, or the one before, of what is looked for now: that may not be found yet. */
  onMove: (by: 1 | -1, words: string) => void;
}

/** Words, a team, a kind, and whom it is said to: kept in the address so that what was found can be shared. */
export function FindBar({ inputRef, onMove }: FindBarProps) {
  const { feed: pages } = useSessionStore();
  const participants = useSession((session) => session.participants);
  const { q = "", team = "", kind = "", me } = sessionRoute.useSearch();
  const navigate = sessionRoute.useNavigate();
  const [typed, setTyped] = useState(q);
  const sent = useRef(q);
  const change = useCallback(
    (to: SessionSearch) =>
      navigate({ search: (old) => ({ ...old, ...to }), hash: true, replace: true, resetScroll: false }),
    [navigate],
  );
  // What comes back from the address while somebody types on is not news.
  useEffect(() => {
    if (q === sent.current) return;
    sent.current = q;
    setTyped(q);
  }, [q]);
  const words = typed.trim();
  const send = useCallback(() => {
    if (words === sent.current) return;
    sent.current = words;
    change({ q: words || undefined });
  }, [words, change]);
  useEffect(() => {
    const timer = setTimeout(send, TYPING_MS);
    return () => clearTimeout(timer);
  }, [send]);
  const close = () => {
    sent.current = "";
    setTyped("");
    change({ q: undefined, team: undefined, kind: undefined, me: undefined });
  };
  const filtered = Boolean(typed || team || kind || me);
  const names = Object.fromEntries(participants.map(({ handle }) => [handle, nameOf(handle, participants)]));
  const kinds = new Set([...KINDS, ...[...pages.kinds].toSorted(), ...(kind ? [kind] : [])]);
  const onKeyDown = (event: React.KeyboardEvent) => {
    // Enter goes back in time, from the newest on.
    const by = event.key === "ArrowDown" || (event.key === "Enter" && event.shiftKey) ? 1 : -1;
    if (!["Enter", "ArrowDown", "ArrowUp"].includes(event.key)) return;
    event.preventDefault();
    send();
    onMove(by, words);
  };
  return (
    <search className="border-b" onKeyDown={(event) => event.key === "Escape" && close()}>
      <div className="flex items-center gap-2 px-3 py-1 sm:py-2">
        <div className="relative min-w-0 flex-1">
          <Search aria-hidden="true" className="absolute top-2 left-2 size-4 text-muted-foreground" />
          <Input
            ref={inputRef}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={onKeyDown}
            placeholder="Find in session"
            aria-label="Find in session"
            className={`h-8 pl-8 text-ellipsis ${filtered ? "pr-8" : "pr-1"}`}
          />
          {filtered ? (
            <Button
              variant="ghost"
              size="icon"
              className="absolute top-0 right-0 size-8"
              aria-label="Clear the search"
              onClick={close}
            >
              <X className="size-4" />
            </Button>
          ) : null}
        </div>
        <Choice
          value={team || ALL}
          choices={{ [ALL]: "All teams", ...names }}
          label="Only messages of one team"
          onChange={(handle) => change({ team: handle === ALL ? undefined : handle })}
          className={CHOICE}
        />
        <Choice
          value={kind || ALL}
          choices={{ [ALL]: "All kinds", ...Object.fromEntries([...kinds].map((name) => [name, name])) }}
          label="Only messages of one kind"
          onChange={(name) => change({ kind: name === ALL ? undefined : name })}
          className={CHOICE}
        />
        <Button
          variant="outline"
          size="sm"
          aria-pressed={me === true}
          title="Only what is said to you, or to any person"
          className="h-8 px-2 font-normal aria-pressed:border-primary aria-pressed:bg-primary/10 aria-pressed:text-primary"
          onClick={() => change({ me: me ? undefined : true })}
        >
          <AtSign aria-hidden="true" className="size-4" />
          <span className="max-sm:sr-only">For me</span>
        </Button>
      </div>
    </search>
  );
}
