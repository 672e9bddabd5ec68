import { useEffect } from "react";

interface FeedKeys {
  next: () => void;
  previous: () => void;
  find: () => void;
}

/** j and k go from message to message, / goes to the search: unless somebody is typing. */
export function useFeedKeys({ next, previous, find }: FeedKeys) {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const action = { j: next, k: previous, "/": find }[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [next, previous, find]);
}

function isTyping(target: EventTarget | null) {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input, textarea, select, [role=dialog], [role=menu]") !== null;
}
