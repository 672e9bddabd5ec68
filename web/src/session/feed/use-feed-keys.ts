import { useEffect } from "react";

interface FeedKeys {
  next: () => void;
  previous: () => void;
  find: () => void;
  newest: () => void;
}

/** j and k go from message to message, . to the newest, / to the search: unless somebody is typing. */
export function useFeedKeys({ next, previous, find, newest }: FeedKeys) {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const action = { j: next, k: previous, "/": find, ".": newest }[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [next, previous, find, newest]);
}

function isTyping(target: EventTarget | null) {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input, textarea, select, [role=dialog], [role=menu]") !== null;
}
