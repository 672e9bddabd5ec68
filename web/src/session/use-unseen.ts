import { useEffect, useState } from "react";
import { useSessionStore } from "./store/session-provider.tsx";

/** How many messages have come since the tab was last looked at. While somebody looks that is none, whatever comes. */
export function useUnseen(): number {
  const store = useSessionStore();
  const [unseen, setUnseen] = useState(0);
  useEffect(() => {
    let seen = store.session?.last ?? 0;
    const look = () => {
      const last = store.session?.last ?? seen;
      if (document.visibilityState === "visible") seen = last;
      setUnseen(last - seen);
    };
    const unsubscribe = store.subscribe(look);
    document.addEventListener("visibilitychange", look);
    return () => {
      unsubscribe();
      document.removeEventListener("visibilitychange", look);
    };
  }, [store]);
  return unseen;
}
