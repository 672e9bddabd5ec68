import { useSyncExternalStore } from "react";
import { auth } from "./auth.ts";

export interface Me {
  access: "open" | "keys";
  person: { id: string; name: string; role: string; email: string | null; by: "link" | "name" | "oidc" } | null;
  scopes: string[];
  /** The ways in; oidc names the provider. */
  sign_in: { link: boolean; name: boolean; oidc: string | null };
}

/** Undefined until the server has said it. */
let me: Me | undefined;
let asked = false;
const listeners = new Set<() => void>();

function tell(next: Me | undefined) {
  me = next;
  asked = true;
  for (const listener of listeners) listener();
}

export const loadMe = () =>
  auth<Me>("/me").then(
    (answer) => tell(answer),
    () => tell(me),
  );

/** The server takes the cookie no more. Where everything is open, the page goes on as anybody's. */
export async function signedOut(): Promise<void> {
  if (!me?.person) return;
  await loadMe();
  if (me?.access === "open" && !me.person) location.reload();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useMe = (): Me | undefined => useSyncExternalStore(subscribe, () => me);

/** Whether the server was asked, and has answered or cannot. */
export const useAsked = (): boolean => useSyncExternalStore(subscribe, () => asked);

export const useIsAdmin = (): boolean => useMe()?.scopes.includes("admin") ?? false;

/** Whether there is anything to see: where keys are asked for, only for a person. */
export const useIsInside = (): boolean => {
  const me = useMe();
  return me?.access !== "keys" || me.person !== null;
};

void loadMe();
