import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from "react";
import type { Participant } from "../queries.ts";
import { handleOf } from "./completion.tsx";
import { completed, mentionAt, suggestions } from "./mentions.ts";

/** Completes the name behind an @ while it is typed. */
export function useCompletion(
  field: RefObject<HTMLTextAreaElement | null>,
  teams: readonly Participant[],
  onText: (text: string) => void,
) {
  const id = useId();
  const [typed, setTyped] = useState<string>();
  const [chosen, setChosen] = useState(0);
  const caret = useRef<number>(undefined);
  const suggested = typed === undefined ? [] : suggestions(typed, teams);
  const open = suggested.length > 0;

  // The text is put in by a render; only then the caret can be put behind the name.
  useLayoutEffect(() => {
    if (caret.current === undefined) return;
    field.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });

  const look = () => {
    const { value = "", selectionStart = 0, selectionEnd = 0 } = field.current ?? {};
    const next = selectionStart === selectionEnd ? mentionAt(value, selectionEnd) : undefined;
    if (next !== typed) setChosen(0);
    setTyped(next);
  };
  const pick = (handle: string) => {
    if (!field.current || typed === undefined) return;
    const [text, position] = completed(field.current.value, field.current.selectionEnd, typed, handle);
    caret.current = position;
    setTyped(undefined);
    onText(text);
  };
  /** True if the key was for the list. */
  const onKey = (event: KeyboardEvent): boolean => {
    if (!open || event.nativeEvent.isComposing || event.metaKey || event.ctrlKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const one = suggested[chosen];
    if (step) setChosen((chosen + step + suggested.length) % suggested.length);
    else if ((event.key === "Enter" || event.key === "Tab") && one) pick(handleOf(one));
    else if (event.key === "Escape") setTyped(undefined);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const control = {
    "aria-autocomplete": "list" as const,
    "aria-controls": open ? id : undefined,
    "aria-activedescendant": open ? `${id}-${chosen}` : undefined,
  };
  return { id, open, suggested, chosen, pick, look, close: () => setTyped(undefined), onKey, control };
}
