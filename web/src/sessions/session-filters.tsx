import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Input } from "@/components/ui/input";
import { Kbd } from "@/components/ui/kbd";
import { ToggleGroup, ToggleGroupItem } from "@/components/ui/toggle-group";
import { type SessionsSearch, STATUSES, sessionsRoute } from "@/router.tsx";
import { useKeys } from "@/shell/use-shortcuts.ts";

const SEARCH_AFTER_MS = 200;
const WORDS = { active: "Active", closed: "Concluded" } as const;

/** Status and words, kept in the address so that a view can be shared. */
export function SessionFilters() {
  const { status } = sessionsRoute.useSearch();
  const navigate = sessionsRoute.useNavigate();
  return (
    <search className="flex flex-col gap-2 sm:flex-row sm:items-center sm:justify-between">
      <ToggleGroup
        type="single"
        aria-label="Which sessions"
        className="h-8"
        value={status ?? "all"}
        onValueChange={(value) =>
          value && navigate({ search: (old) => ({ ...old, status: STATUSES.find((known) => known === value) }) })
        }
      >
        <ToggleGroupItem value="all">All</ToggleGroupItem>
        {STATUSES.map((value) => (
          <ToggleGroupItem key={value} value={value}>
            {WORDS[value]}
          </ToggleGroupItem>
        ))}
      </ToggleGroup>
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

  useKeys((event) => {
    if (event.key !== "/") return;
    event.preventDefault();
    input.current?.select();
  });

  return (
    <div className="relative sm:w-72">
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
