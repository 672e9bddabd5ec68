import { type RefObject, useCallback, useEffect, useState } from "react";

export interface Heading {
  text: string;
  level: number;
}

const found = (container: HTMLElement | null) => [
  ...(container?.querySelectorAll<HTMLElement>(".markdown [data-heading]") ?? []),
];

/** The headings as they are on the page: there is no second parser to disagree. */
export function useHeadings(container: RefObject<HTMLElement | null>, shown: boolean): Heading[] {
  const [headings, setHeadings] = useState<Heading[]>([]);
  useEffect(() => {
    const element = container.current;
    if (!element || !shown) return;
    let frame = 0;
    const read = () => {
      frame = 0;
      const now = found(element).map((heading) => ({
        text: heading.textContent ?? "",
        level: Number(heading.tagName.slice(1)),
      }));
      setHeadings((before) => (same(before, now) ? before : now));
    };
    const changes = new MutationObserver(() => {
      frame ||= requestAnimationFrame(read);
    });
    changes.observe(element, { childList: true, subtree: true, characterData: true });
    read();
    return () => {
      changes.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [container, shown]);
  return headings;
}

const same = (a: Heading[], b: Heading[]) =>
  a.length === b.length && a.every(({ text, level }, index) => text === b[index]?.text && level === b[index]?.level);

/** Brings a heading to the top: the nth, or the first of that text. False while it is not there. */
export function useShowHeading(container: RefObject<HTMLElement | null>) {
  return useCallback(
    (which: number | string): boolean => {
      const all = found(container.current);
      const heading =
        typeof which === "number" ? all[which] : all.find(({ textContent }) => textContent?.trim() === which.trim());
      if (!heading) return false;
      heading.scrollIntoView({ block: "start" });
      // What is above may be laid out only now, and push it away.
      requestAnimationFrame(() => heading.scrollIntoView({ block: "start" }));
      return true;
    },
    [container],
  );
}
