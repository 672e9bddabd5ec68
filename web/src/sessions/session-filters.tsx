import { Archive, Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Choice } from "@/components/choice.tsx";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { Kbd } from "@/components/ui/kbd";
import { ToggleGroup, ToggleGroupItem } from "@/components/ui/toggle-group";
import { GROUPS, type SessionsSearch, STATUSES, sessionsRoute } from "@/router.tsx";
import { useCommands } from "@/shell/commands.ts";

const SEARCH_AFTER_MS = 200;
const WORDS = { active: "Active", closed: "Concluded" } as const;
const BY = { none: "In order", lineage: "By family", board: "By board" };

/** Status, groups and words, kept in the address so that a view can be shared. */
export function SessionFilters() {
  const { status, group, archived } = sessionsRoute.useSearch();
  const navigate = sessionsRoute.useNavigate();
  const change = (to: SessionsSearch) => navigate({ search: (old) => ({ ...old, ...to }), replace: true });
  const toggleAway = () => change({ archived: archived ? undefined : true });
  useCommands([
    {
      id: "sessions.away",
      title: archived ? "Back to the list" : "What is put away",
      group: "Sessions",
      icon: Archive,
      run: toggleAway,
    },
  ]);
  return (
    <search className="flex flex-wrap items-center gap-2">
      <ToggleGroup
        type="single"
        aria-label="Which sessions"
        className="h-8"
        value={status ?? "all"}
        onValueChange={(value) => value && change({ status: STATUSES.find((known) => known === value) })}
      >
        <ToggleGroupItem value="all">All</ToggleGroupItem>
        {STATUSES.map((value) => (
          <ToggleGroupItem key={value} value={value}>
            {WORDS[value]}
          </ToggleGroupItem>
        ))}
      </ToggleGroup>
      <Choice
        label="Groups"
        className="w-26 max-sm:flex-1 sm:w-32"
        value={group ?? "none"}
        choices={BY}
        onChange={(value) => change({ group: GROUPS.find((known) => known === value) })}
      />
      <Button
        variant={archived ? "secondary" : "ghost"}
        size="sm"
        className="max-sm:px-2"
        aria-pressed={Boolean(archived)}
        onClick={toggleAway}
      >
        <Archive aria-hidden /> <span className="max-sm:sr-only">Put away</span>
      </Button>
      <SearchField />
    </search>
  );
}

function SearchField() {
  const { q } = sessionsRoute.useSearch();
  const navigate = sessionsRoute.useNavigate();
  const [words, setWords] = useState(q ?? "");
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => setWords(q ?? ""), [q]);
  useEffect(() => {
    if (words === (q ?? "")) return;
    const search = (old: SessionsSearch) => ({ ...old, q: words || undefined });
    const timer = setTimeout(() => navigate({ search, replace: true }), SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [words, q, navigate]);

  const run = () => input.current?.select();
  useCommands([{ id: "sessions.search", title: "Search sessions", group: "Sessions", keys: "/", icon: Search, run }]);

  return (
    <div className="relative w-full sm:ml-auto sm:w-72">
      <Search aria-hidden className="absolute top-2 left-2.5 size-4 text-muted-foreground" />
      <Input
        ref={input}
        type="search"
        aria-label="Search sessions"
        placeholder="Search title, description, ref"
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        className="h-8 pr-8 pl-8"
      />
      {!words && <Kbd className="absolute top-1.5 right-1.5 hidden sm:inline-flex">/</Kbd>}
    </div>
  );
}
