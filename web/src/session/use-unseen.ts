import { useEffect, useState } from "react";
import { useSessionStore } from "./store/session-provider.tsx";

/** Whether messages have come since the tab was last looked at. While somebody looks there are none, whatever comes. */
export function useUnseen(): boolean {
  const store = useSessionStore();
  const [unseen, setUnseen] = useState(false);
  useEffect(() => {
    let seen = store.session?.last ?? 0;
    const look = () => {
      const last = store.session?.last ?? seen;
      if (document.visibilityState === "visible") seen = last;
      setUnseen(last > seen);
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
