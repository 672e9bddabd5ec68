import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { sequenceInHash, useJumps } from "../jump.ts";
import { lastRead, markRead } from "./read-marks.ts";
import { type Place, useHeldPlace } from "./use-held-place.ts";

const ROW = 76;
const NEAR_END = 60;
const HIGHLIGHT_MS = 3_000;

/** Where in the feed the reader is: at the end, at a message that the address names, or wherever they scrolled. */
export function useFeedList(id: string, last: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const [readBefore] = useState(() => lastRead(id));
  const [highlighted, setHighlighted] = useState<number>();
  const [focused, setFocused] = useState<number>();
  const list = useVirtualizer({
    count: last,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    getItemKey: (index) => index + 1,
    overscan: 6,
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: NEAR_END,
    paddingEnd: 12,
  });
  const hold = useHeldPlace(scroller, list, last > 0);

  const jump = useCallback(
    (sequence: number) => {
      if (sequence < 1 || sequence > list.options.count) return;
      hold({ index: sequence - 1, align: "center" });
      setHighlighted(sequence);
    },
    [list, hold],
  );
  useJumps(jump);
  useEffect(() => {
    if (!highlighted) return;
    const timer = setTimeout(() => setHighlighted(undefined), HIGHLIGHT_MS);
    return () => clearTimeout(timer);
  }, [highlighted]);

  const opened = useRef(false);
  useLayoutEffect(() => {
    if (opened.current || last === 0) return;
    opened.current = true;
    const named = sequenceInHash();
    const unread: Place | undefined =
      readBefore && readBefore < last ? { index: readBefore, align: "start" } : undefined;
    if (named && named <= last) jump(named);
    else hold(unread ?? "end");
  }, [last, readBefore, jump, hold]);

  const items = list.getVirtualItems();
  const atEnd = list.isAtEnd(NEAR_END);
  const lowest = list.range ? list.range.endIndex + 1 : 0;
  const seen = useRef(0);
  seen.current = Math.max(seen.current, atEnd ? last : lowest);
  useEffect(() => {
    if (lowest > 0 && document.visibilityState === "visible") markRead(id, atEnd ? last : lowest);
  }, [id, lowest, last, atEnd]);

  const move = useCallback(
    (by: 1 | -1) => {
      setFocused((current) => {
        const shown = list.range;
        const visible = current && shown && current > shown.startIndex && current <= shown.endIndex + 1;
        const next = visible ? current + by : (shown?.startIndex ?? 0) + 1;
        return Math.min(Math.max(1, next), list.options.count);
      });
    },
    [list],
  );
  useEffect(() => {
    if (focused) list.scrollToIndex(focused - 1, { align: "auto" });
  }, [focused, list]);

  const toEnd = useCallback(() => hold("end"), [hold]);
  return {
    scroller,
    list,
    items,
    atEnd,
    highlighted,
    focused,
    move,
    focusOn: setFocused,
    toEnd,
    unseen: last - seen.current,
    firstUnread: readBefore !== undefined && readBefore < last ? readBefore + 1 : undefined,
  };
}
