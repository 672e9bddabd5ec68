import { useRef, useState } from "react";
import { useKeys } from "@/shell/use-shortcuts.ts";
import type { SessionRowData } from "./queries.ts";
import { ROW_LINK, SessionRow } from "./session-row.tsx";
import { useSteadyOrder } from "./use-steady-order.ts";

export function SessionList({ sessions }: { sessions: SessionRowData[] }) {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const rows = useSteadyOrder(sessions, pointed || focused);
  const list = useRef<HTMLUListElement>(null);

  useKeys((event) => {
    const step = { j: 1, k: -1 }[event.key];
    if (!step || !list.current) return;
    event.preventDefault();
    const links = [...list.current.querySelectorAll<HTMLAnchorElement>(`[${ROW_LINK}]`)];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    links[at === -1 ? 0 : Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
  });

  return (
    <ul
      ref={list}
      aria-label="Sessions"
      className="divide-y rounded-lg border bg-card"
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      {rows.map((session) => (
        <SessionRow key={session.id} session={session} />
      ))}
    </ul>
  );
}
