import { useSyncExternalStore } from "react";

export type Connection = "live" | "reconnecting" | "offline";

/** After this many failed attempts in a row the page says that it is offline. */
const GIVE_UP_HOPE = 3;

let socket: Connection = "reconnecting";
const listeners = new Set<() => void>();

const current = (): Connection => (navigator.onLine ? socket : "offline");

function tell() {
  for (const listener of listeners) listener();
}

export const connectionState = {
  get: current,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  connected() {
    socket = "live";
    tell();
  },
  lost(failedAttempts: number) {
    socket = failedAttempts >= GIVE_UP_HOPE ? "offline" : "reconnecting";
    tell();
  },
};

window.addEventListener("online", tell);
window.addEventListener("offline", tell);

export function useConnection(): Connection {
  return useSyncExternalStore(connectionState.subscribe, connectionState.get);
}
