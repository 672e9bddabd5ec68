import { useEffect, useState } from "react";

/** How many messages have come since the tab was last looked at. */
export function useUnseen(last: number | undefined): number {
  const [seen, setSeen] = useState<number>();
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") setSeen(last);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [last]);
  return last !== undefined && seen !== undefined ? Math.max(last - seen, 0) : 0;
}
