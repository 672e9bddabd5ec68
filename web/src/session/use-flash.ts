import { useEffect, useRef } from "react";

const FRAMES = [{ backgroundColor: "color-mix(in srgb, gold 40%, transparent)" }, { backgroundColor: "transparent" }];

/** Highlights an element briefly, unless motion is not wanted. */
export function flashOf(element: HTMLElement) {
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) element.animate(FRAMES, 2_000);
}

/** Highlights an element briefly when the value it shows changes, but not when it first appears. */
export function useFlash<T extends HTMLElement>(value: unknown) {
  const element = useRef<T>(null);
  const shown = useRef(value);
  useEffect(() => {
    if (shown.current === value) return;
    shown.current = value;
    if (element.current) flashOf(element.current);
  }, [value]);
  return element;
}
