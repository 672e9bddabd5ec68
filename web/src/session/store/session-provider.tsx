import { createContext, useContext, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Participant } from "../queries.ts";
import { type SessionData, SessionStore, type StoreState } from "./session-store.ts";
import { shallowEqual } from "./shallow.ts";

export const StoreContext = createContext<SessionStore | undefined>(undefined);

interface SessionProviderProps {
  sessionRef: string;
  /** What is shown while there is no session to show. */
  otherwise: (state: Exclude<StoreState, { phase: "open" }>, retry: () => void) => React.ReactNode;
  children: React.ReactNode;
}

/** Keeps a store for as long as the page of its session is open; below it the session is there. */
export function SessionProvider({ sessionRef, otherwise, children }: SessionProviderProps) {
  const [store] = useState(() => new SessionStore(sessionRef));
  useEffect(() => store.start(), [store]);
  const phase = useSyncExternalStore(store.subscribe, () => store.getState().phase);
  const state = store.getState();
  if (phase !== "open" && state.phase !== "open") return otherwise(state, () => void store.read());
  return <StoreContext value={store}>{children}</StoreContext>;
}

export function useSessionStore(): SessionStore {
  const store = useContext(StoreContext);
  if (!store) throw new Error("there is no SessionProvider above");
  return store;
}

/** What is selected of the session, again only when that has changed. */
export const useSession = <T,>(select: (session: SessionData) => T): T => useSelected(whole, select);

/** What is selected of the roster, looked at only when the roster has changed: each row of the feed asks for names. */
export const useRoster = <T,>(select: (roster: readonly Participant[]) => T): T => useSelected(rosterOf, select);

const whole = (session: SessionData) => session;
const rosterOf = (session: SessionData) => session.participants;

function useSelected<Part, T>(partOf: (session: SessionData) => Part, select: (part: Part) => T): T {
  const store = useSessionStore();
  const last = useRef<{ part: Part; select: typeof select; value: T }>(undefined);
  return useSyncExternalStore(store.subscribe, () => {
    const known = last.current;
    const { session } = store;
    if (!session && !known) throw new Error("there is no session yet");
    // A session that is gone is shown as it was until the page says so.
    const part = session ? partOf(session) : (known as NonNullable<typeof known>).part;
    if (known && known.part === part && known.select === select) return known.value;
    const value = select(part);
    const same = known !== undefined && shallowEqual(known.value, value);
    last.current = { part, select, value: same ? known.value : value };
    return last.current.value;
  });
}
