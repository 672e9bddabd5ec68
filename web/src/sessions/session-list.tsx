import { Link } from "@tanstack/react-router";
import { Archive } from "lucide-react";
import { useCallback, useRef, useState } from "react";
import { useMe } from "@/people/me.ts";
import { useCommands } from "@/shell/commands.ts";
import { putAway, useKeptAway } from "./archive.ts";
import type { Row } from "./queries.ts";
import { inGroups } from "./rows.ts";
import { ROW_LINK, SessionRow } from "./session-row.tsx";
import { useSteadyOrder } from "./use-steady-order.ts";

interface SessionListProps {
  rows: Row[];
  group: "lineage" | "board" | undefined;
  archived: boolean;
  onChange: () => void;
}

export function SessionList({ rows, group, archived, onChange }: SessionListProps) {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const steady = useSteadyOrder(rows, pointed || focused);
  const list = useRef<HTMLDivElement>(null);
  const isPerson = Boolean(useMe()?.person);
  const kept = useKeptAway();
  const shown = isPerson ? steady : steady.filter(({ id }) => kept.has(id) === archived);
  const archive = useCallback(
    (row: Row, away: boolean) => void putAway(row, away, isPerson, onChange),
    [isPerson, onChange],
  );

  const links = () => [...(list.current?.querySelectorAll<HTMLAnchorElement>(`[${ROW_LINK}]`) ?? [])];
  const step = (by: number) => {
    const all = links();
    const at = all.indexOf(document.activeElement as HTMLAnchorElement);
    all[at === -1 ? 0 : Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
  };
  const archiveFocused = () => {
    const id = document.activeElement?.getAttribute(ROW_LINK);
    const row = shown.find((row) => row.id === id);
    if (!row) return;
    step(1);
    archive(row, !archived);
  };
  const section = "Sessions";
  useCommands([
    { id: "sessions.next", title: "Next session", group: section, keys: "j", keysOnly: true, run: () => step(1) },
    {
      id: "sessions.previous",
      title: "Previous session",
      group: section,
      keys: "k",
      keysOnly: true,
      run: () => step(-1),
    },
    {
      ...{ id: "sessions.archive", group: section, keys: "e", icon: Archive, keysOnly: true, run: archiveFocused },
      title: archived ? "Take the session back into the list" : "Put the session away",
    },
  ]);

  const groups = group ? inGroups(shown, group) : [{ name: "", rows: shown }];
  return (
    <section
      ref={list}
      aria-label="All sessions"
      className="flex flex-col gap-3"
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      {groups.map(({ name, rows }) => (
        <div key={name} className="flex flex-col gap-1">
          {group && <GroupName name={name} by={group} first={rows[0]} />}
          <ul aria-label={name || "Sessions"} className="divide-y rounded-lg border bg-card">
            {rows.map((row) => (
              <SessionRow
                key={row.id}
                row={row}
                indented={group === "lineage" && name !== "" && row.ref !== name}
                away={archived}
                onArchive={archive}
              />
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

function GroupName({ name, by, first }: { name: string; by: "lineage" | "board"; first: Row | undefined }) {
  if (!name)
    return <h3 className="px-1 text-xs text-muted-foreground">{by === "board" ? "On no board" : "Of their own"}</h3>;
  return (
    <h3 className="px-1 text-xs text-muted-foreground">
      {by === "board" ? (
        <Link to="/b/$board" params={{ board: name }} className="underline-offset-2 hover:underline">
          {first?.board}
        </Link>
      ) : (
        <>
          Family of <span className="font-mono">{name}</span>
        </>
      )}
    </h3>
  );
}
