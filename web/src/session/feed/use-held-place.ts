import { type RefObject, useCallback, useEffect, useRef } from "react";
import type { Rows } from "./use-rows.ts";

export type Place = "end" | { index: number; align: "start" | "center" };

const INTENT = ["wheel", "touchmove", "keydown", "pointerdown"] as const;
const NEAR_END = 60;
const OWN_SCROLL_MS = 150;

/**
 * Goes to a place and stays there while rows arrive, are measured, or the pane changes its size, until the reader
 * scrolls away. Row heights are guesses until then, so one scroll would end somewhere near it.
 */
export function useHeldPlace(scroller: RefObject<HTMLDivElement | null>, list: Rows, mounted: boolean) {
  const held = useRef<Place>(undefined);
  const wentAt = useRef(0);

  const go = useCallback(() => {
    if (!held.current) return;
    wentAt.current = performance.now();
    if (held.current === "end") list.scrollToEnd();
    else list.scrollToIndex(held.current.index, { align: held.current.align });
  }, [list]);

  useEffect(() => {
    const element = scroller.current;
    if (!mounted || !element) return;
    const letGo = () => {
      held.current = undefined;
    };
    let [top, height, pane] = [element.scrollTop, element.scrollHeight, element.clientHeight];
    // Scrollbars and assistive technology move the feed without an event of their own.
    const onScroll = () => {
      const own = performance.now() - wentAt.current < OWN_SCROLL_MS;
      const resized = height !== element.scrollHeight || pane !== element.clientHeight;
      if (!own && !resized && element.scrollTop < top - 2) letGo();
      [top, height, pane] = [element.scrollTop, element.scrollHeight, element.clientHeight];
      if (!held.current && !own && !resized && list.isAtEnd(NEAR_END)) held.current = "end";
    };
    for (const event of INTENT) element.addEventListener(event, letGo, { passive: true });
    element.addEventListener("scroll", onScroll, { passive: true });
    const sizes = new ResizeObserver(go);
    sizes.observe(element);
    if (element.firstElementChild) sizes.observe(element.firstElementChild);
    return () => {
      for (const event of INTENT) element.removeEventListener(event, letGo);
      element.removeEventListener("scroll", onScroll);
      sizes.disconnect();
    };
  }, [scroller, list, go, mounted]);

  return useCallback(
    (place: Place) => {
      held.current = place;
      go();
    },
    [go],
  );
}
