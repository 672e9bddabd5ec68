import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/react-virtual";
import { useLayoutEffect, useReducer, useState } from "react";
import { flushSync } from "react-dom";

type Options = Omit<
  VirtualizerOptions<HTMLDivElement, HTMLDivElement>,
  "onChange" | "scrollToFn" | "observeElementRect" | "observeElementOffset"
>;

const NEAR_END = 60;

/**
 * Rows of which only those in sight are there. Where they stand is written past React, and they are drawn again only when
 * others come in sight: the library's own hook does so for each size that is measured, too.
 */
export class Rows extends Virtualizer<HTMLDivElement, HTMLDivElement> {
  /** Whether the reader was at the end when that was last looked at; who is there stays there when rows are added. */
  atEnd = true;
  #container: HTMLDivElement | null = null;
  #drawn: { first: number | undefined; last: number | undefined; atEnd: boolean } | undefined;
  #drawing = false;

  readonly containerRef = (container: HTMLDivElement | null) => {
    this.#container = container;
    this.#place();
  };

  begin() {
    this.#drawing = true;
    this.getVirtualItems();
    this.#drawn = { first: this.range?.startIndex, last: this.range?.endIndex, atEnd: this.atEnd };
  }

  /** After what was drawn is there. Answers whether more must be. */
  end(): boolean {
    this.#place();
    this._willUpdate();
    this.#drawing = false;
    // On its way to another place; it will be told when it is there.
    if (this.scrollElement && Math.abs(this.scrollElement.scrollTop - (this.scrollOffset ?? 0)) > 1) return false;
    return this.moved();
  }

  moved(): boolean {
    this.#place();
    if (this.#drawing) return false;
    this.getVirtualItems();
    this.atEnd = this.isAtEnd(NEAR_END);
    const { first, last, atEnd } = this.#drawn ?? {};
    return first !== this.range?.startIndex || last !== this.range?.endIndex || atEnd !== this.atEnd;
  }

  #place() {
    if (!this.#container) return;
    write(this.#container, "height", this.getTotalSize());
    for (const { key, start } of this.getVirtualItems()) {
      const row = this.elementsCache.get(key);
      if (row) write(row, "top", start);
    }
  }
}

function write({ style }: HTMLElement, property: "height" | "top", pixels: number) {
  const value = `${pixels}px`;
  if (style[property] !== value) style[property] = value;
}

export function useRows(options: Options): Rows {
  const draw = useReducer((times: number) => times + 1, 0)[1];
  const all = {
    ...options,
    scrollToFn: elementScroll,
    observeElementRect,
    // Rows do not look different while they are scrolled: nothing is drawn again because that begins or ends.
    observeElementOffset: (list, moved) => observeElementOffset(list, (offset) => moved(offset, false)),
    scrollEndThreshold: NEAR_END,
    onChange: (list, sync) => {
      if (!(list as Rows).moved()) return;
      // What was scrolled to make room for a size is painted with that size.
      if (sync) flushSync(draw);
      else draw();
    },
  } satisfies VirtualizerOptions<HTMLDivElement, HTMLDivElement>;
  const [rows] = useState(() => new Rows(all));
  rows.setOptions(all);
  rows.begin();
  useLayoutEffect(() => rows._didMount(), [rows]);
  useLayoutEffect(() => {
    if (rows.end()) draw();
  });
  return rows;
}
