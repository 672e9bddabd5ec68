import { Search, X } from "lucide-react";
import { type RefObject, useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { visible } from "../markdown/visible.ts";
import type { Participant } from "../queries.ts";
import { FoundMessages } from "./found-messages.tsx";

const TYPING_MS = 250;

interface FindBarProps {
  sessionId: string;
  participants: Participant[];
  inputRef: RefObject<HTMLInputElement | null>;
}

export function FindBar({ sessionId, participants, inputRef }: FindBarProps) {
  const [typed, setTyped] = useState("");
  const [search, setSearch] = useState("");
  const [team, setTeam] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const close = () => {
    setTyped("");
    setSearch("");
    setTeam("");
  };
  return (
    <search className="border-b" onKeyDown={(event) => event.key === "Escape" && close()}>
      <div className="flex items-center gap-2 px-3 py-2">
        <div className="relative min-w-0 flex-1">
          <Search aria-hidden="true" className="absolute top-2 left-2 size-4 text-muted-foreground" />
          <Input
            ref={inputRef}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            placeholder="Find in session"
            aria-label="Find in session"
            className="h-8 pl-8"
          />
        </div>
        <select
          value={team}
          onChange={(event) => setTeam(event.target.value)}
          aria-label="Only messages of one team"
          className="h-8 w-32 truncate rounded-md border bg-background pr-6 pl-2 text-sm sm:w-44"
        >
          <option value="">All teams</option>
          {participants.map(({ handle, teamName }) => (
            <option key={handle} value={handle}>
              {visible(teamName)}
            </option>
          ))}
        </select>
        {typed || team ? (
          <Button variant="ghost" size="icon" className="size-8" aria-label="Clear the search" onClick={close}>
            <X className="size-4" />
          </Button>
        ) : null}
      </div>
      {search || team ? <FoundMessages sessionId={sessionId} search={search} team={team} /> : null}
    </search>
  );
}
