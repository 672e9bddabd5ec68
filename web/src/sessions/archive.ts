import { useSyncExternalStore } from "react";
import { toast } from "sonner";
import { call } from "@/lib/call.ts";
import { recall, remember } from "@/session/remembered.ts";
import { ArchiveSession, type Row } from "./queries.ts";

// Where nobody has said who they are, what was put away is kept in this browser.
const KEY = "parley.archived";

let kept: ReadonlySet<string> = new Set(parsed(recall(KEY)));
const listeners = new Set<() => void>();

function parsed(text: string | null): string[] {
  try {
    return JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
}

function keep(id: string, archived: boolean) {
  const next = new Set(kept);
  if (archived) next.add(id);
  else next.delete(id);
  kept = next;
  remember(KEY, JSON.stringify([...kept]));
  for (const listener of listeners) listener();
}

export const useKeptAway = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => kept,
  );

/** Puts a session away or takes it back, and offers to undo that. */
export async function putAway(row: Row, archived: boolean, isPerson: boolean, onDone: () => void): Promise<void> {
  if (isPerson) {
    const { refusal } = await call(ArchiveSession, { id: row.id, archived });
    if (refusal) return void toast.error(refusal.message);
  } else keep(row.id, archived);
  onDone();
  toast(archived ? `“${row.title.slice(0, 60)}” is put away` : `“${row.title.slice(0, 60)}” is in the list again`, {
    duration: 10_000,
    action: { label: "Undo", onClick: () => void putAway(row, !archived, isPerson, onDone) },
  });
}
