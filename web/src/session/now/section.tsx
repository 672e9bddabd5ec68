import { Children, useState } from "react";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Button } from "@/components/ui/button";

const AT_FIRST = 8;

interface SectionProps {
  title: string;
  /** What is said instead of an empty list; without it an empty section is left out. */
  none?: string;
  /** Entries that are cards stand apart; lines do not. */
  cards?: boolean;
  children: React.ReactNode;
}

export function Section({ title, none, cards = false, children }: SectionProps) {
  const [whole, setWhole] = useState(false);
  const entries = Children.toArray(children);
  const shown = whole ? entries : entries.slice(0, AT_FIRST);
  if (entries.length === 0 && none === undefined) return null;
  return (
    <section aria-label={title} className="pt-5">
      <h3 className="flex items-baseline gap-2 text-xs font-medium text-muted-foreground">
        {title} {entries.length > 0 ? <span className="font-normal tabular-nums">{entries.length}</span> : null}
      </h3>
      {entries.length > 0 ? (
        <ul className={cards ? "mt-2 flex flex-col gap-2" : "-mx-2 mt-1"}>{shown}</ul>
      ) : (
        <p className="mt-1 text-sm text-muted-foreground">{none}</p>
      )}
      {entries.length > shown.length ? (
        <Button variant="link" size="sm" className="h-7 px-0 text-xs" onClick={() => setWhole(true)}>
          {entries.length - shown.length} more
        </Button>
      ) : null}
    </section>
  );
}

interface EntryProps {
  title?: string;
  /** When it was. */
  at?: string | null;
  onOpen: (() => void) | undefined;
  children: React.ReactNode;
  /** What can be done about it. */
  below?: React.ReactNode;
}

export function Entry({ title, at, onOpen, children, below }: EntryProps) {
  const line = "flex w-full min-w-0 items-baseline gap-2 rounded-md px-2 py-1.5 text-left text-sm";
  const words = (
    <>
      <span className="min-w-0 flex-1 break-words">{children}</span>
      {at ? <RelativeTime at={at} className="shrink-0 text-xs text-muted-foreground" /> : null}
    </>
  );
  return (
    <li>
      {onOpen ? (
        <button
          type="button"
          title={title}
          className={`${line} hover:bg-accent focus-visible:bg-accent`}
          onClick={onOpen}
        >
          {words}
        </button>
      ) : (
        <p className={line} title={title}>
          {words}
        </p>
      )}
      {below ? <div className="px-2 pb-1">{below}</div> : null}
    </li>
  );
}
