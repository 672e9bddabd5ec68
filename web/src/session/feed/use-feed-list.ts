import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { sequenceInHash, useJumps } from "../jump.ts";
import type { FeedSource } from "../store/feed-source.ts";
import { lastRead, markRead } from "./read-marks.ts";
import { type Place, useHeldPlace } from "./use-held-place.ts";
import { useRows } from "./use-rows.ts";

const ROW = 76;
const HIGHLIGHT_MS = 3_000;

interface FeedListOptions {
  /** Whether it is the whole feed: only that is read from where somebody left it, and counts as read. */
  whole: boolean;
  /** The address names a message that is not in the list. */
  onOutside?: (sequence: number) => void;
}

/** Where in the feed the reader is: at the end, at a message that the address names, or wherever they scrolled. */
export function useFeedList(id: string, source: FeedSource, { whole, onOutside }: FeedListOptions) {
  const shown = useRef(source);
  shown.current = source;
  const last = source.count === 0 ? 0 : source.sequenceAt(source.count - 1);
  const scroller = useRef<HTMLDivElement>(null);
  const [readBefore] = useState(() => lastRead(id));
  const [highlighted, setHighlighted] = useState<number>();
  const [focused, setFocused] = useState<number>();
  const list = useRows({
    count: source.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    getItemKey: (index) => source.sequenceAt(index),
    overscan: 6,
    anchorTo: "end",
    followOnAppend: true,
    paddingEnd: 12,
  });
  const hold = useHeldPlace(scroller, list, last > 0);

  const jump = useCallback(
    (sequence: number) => {
      const index = shown.current.indexOf(sequence);
      if (index === -1) return onOutside?.(sequence);
      hold({ index, align: "center" });
      setHighlighted(sequence);
    },
    [hold, onOutside],
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
    const named = whole ? sequenceInHash() : undefined;
    const unread: Place | undefined =
      whole && readBefore && readBefore < last ? { index: readBefore, align: "start" } : undefined;
    if (named && named <= last) jump(named);
    else hold(unread ?? "end");
  }, [whole, last, readBefore, jump, hold]);

  const items = list.getVirtualItems();
  const { atEnd } = list;
  const lowest = list.range ? source.sequenceAt(list.range.endIndex) : 0;
  const seen = useRef(0);
  seen.current = Math.max(seen.current, atEnd ? last : lowest);
  useEffect(() => {
    if (whole && lowest > 0 && document.visibilityState === "visible") markRead(id, atEnd ? last : lowest);
  }, [whole, id, lowest, last, atEnd]);

  const move = useCallback(
    (by: 1 | -1) => {
      setFocused((current) => {
        const [first, lowest] = [list.range?.startIndex ?? 0, list.range?.endIndex ?? 0];
        const at = current ? shown.current.indexOf(current) : -1;
        const next = at >= first && at <= lowest ? at + by : first;
        return shown.current.sequenceAt(Math.min(Math.max(0, next), list.options.count - 1));
      });
    },
    [list],
  );
  useEffect(() => {
    if (focused) list.scrollToIndex(shown.current.indexOf(focused), { align: "auto" });
  }, [focused, list]);

  const toEnd = useCallback(() => hold("end"), [hold]);
  return {
    scroller,
    list,
    items,
    atEnd,
    highlighted,
    focused,
    jump,
    move,
    focusOn: setFocused,
    toEnd,
    unseen: last - seen.current,
    firstUnread: whole && readBefore !== undefined && readBefore < last ? readBefore + 1 : undefined,
  };
}
