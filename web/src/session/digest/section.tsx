import { Children } from "react";

interface SectionProps {
  title: string;
  /** What is said instead of an empty list. */
  none: string;
  children: React.ReactNode;
}

export function Section({ title, none, children }: SectionProps) {
  const entries = Children.toArray(children);
  return (
    <section aria-label={title} className="pt-5">
      <h3 className="flex items-baseline gap-2 text-xs font-medium text-muted-foreground">
        {title} {entries.length > 0 ? <span className="font-normal tabular-nums">{entries.length}</span> : null}
      </h3>
      {entries.length > 0 ? (
        <ol className="-mx-2 mt-1">{entries}</ol>
      ) : (
        <p className="mt-1 text-sm text-muted-foreground">{none}</p>
      )}
    </section>
  );
}

interface EntryProps {
  /** Its place in the feed: #12. */
  at?: string;
  title?: string;
  onOpen: (() => void) | undefined;
  children: React.ReactNode;
}

export function Entry({ at, title, onOpen, children }: EntryProps) {
  const place = at ? <span className="min-w-8 shrink-0 text-xs text-muted-foreground tabular-nums">{at}</span> : null;
  const line = "flex w-full min-w-0 items-baseline gap-2 rounded-md px-2 py-1 text-left text-sm";
  const words = <span className="min-w-0 flex-1 break-words">{children}</span>;
  return (
    <li>
      {onOpen ? (
        <button
          type="button"
          title={title}
          className={`${line} hover:bg-accent focus-visible:bg-accent`}
          onClick={onOpen}
        >
          {place}
          {words}
        </button>
      ) : (
        <p className={line} title={title}>
          {place}
          {words}
        </p>
      )}
    </li>
  );
}
