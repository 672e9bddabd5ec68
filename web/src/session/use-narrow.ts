import { useSyncExternalStore } from "react";

const NARROW = "(max-width: 899px)";

const subscribe = (listener: () => void) => {
  const query = matchMedia(NARROW);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
};

/** Whether feed and document no longer fit side by side. */
export const useNarrow = () => useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches);
