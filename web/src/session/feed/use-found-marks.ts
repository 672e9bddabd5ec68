import { type RefObject, useEffect } from "react";

const NAME = "parley-found";
const MOST = 500;

/** Marks the words that were looked for in what is on the screen, without touching what was drawn. */
export function useFoundMarks(scroller: RefObject<HTMLElement | null>, search: string) {
  useEffect(() => {
    const element = scroller.current;
    if (!element || !search || !("highlights" in CSS)) return;
    const mark = () => CSS.highlights.set(NAME, new Highlight(...rangesOf(element, search.toLowerCase())));
    mark();
    // Rows come and go, and texts are formatted when they can be.
    const changes = new MutationObserver(mark);
    changes.observe(element, { childList: true, subtree: true, characterData: true });
    return () => {
      changes.disconnect();
      CSS.highlights.delete(NAME);
    };
  }, [scroller, search]);
}

function rangesOf(element: HTMLElement, words: string): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node && ranges.length < MOST; node = texts.nextNode()) {
    const text = (node.nodeValue ?? "").toLowerCase();
    for (let at = text.indexOf(words); at !== -1 && ranges.length < MOST; at = text.indexOf(words, at + words.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
      ranges.push(range);
    }
  }
  return ranges;
}
