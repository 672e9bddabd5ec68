import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

const SECOND_KEY_WITHIN_MS = 1000;

export const isTyping = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

const isPlain = (event: KeyboardEvent) => !event.metaKey && !event.ctrlKey && !event.altKey;

/** A dialog or a menu that is open has the keyboard for itself. */
const isCovered = () => document.querySelector("[role=dialog],[role=menu],[role=listbox]") !== null;

/** Calls back on a key that is pressed outside of fields, without ⌘, Ctrl or Alt. */
export function useKeys(handle: (event: KeyboardEvent) => void) {
  const latest = useRef(handle);
  latest.current = handle;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (isPlain(event) && !isTyping(event) && !isCovered() && !event.defaultPrevented) latest.current(event);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
}

/** The shortcuts that work on every page. */
export function useShortcuts({ palette, shortcuts }: { palette: () => void; shortcuts: () => void }) {
  const navigate = useNavigate();
  const goPressedAt = useRef(0);

  useKeys((event) => {
    const goes = Date.now() - goPressedAt.current < SECOND_KEY_WITHIN_MS;
    goPressedAt.current = event.key === "g" ? Date.now() : 0;
    if (event.key === "?") shortcuts();
    else if (goes && event.key === "s") navigate({ to: "/" });
    else if (goes && event.key === ",") navigate({ to: "/settings" });
    else return;
    event.preventDefault();
  });

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.metaKey || event.ctrlKey) || event.shiftKey) return;
      event.preventDefault();
      palette();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [palette]);
}
