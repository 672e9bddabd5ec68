import { memo, useEffect, useMemo, useRef } from "react";
import { RelativeTime } from "@/components/relative-time.tsx";
import { AsWritten } from "../markdown/as-written.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { visible } from "../markdown/visible.ts";
import type { DocVersion } from "../queries.ts";
import { teamColour } from "../team-colour.ts";
import type { Named } from "../team-name.ts";
import { nameOfTeam } from "../team-name.ts";
import { flashOf } from "../use-flash.ts";
import { type DocSection, sectionsOf } from "./sections.ts";

/** A document that is longer is formatted beside the page, piece by piece. */
const SHORT = 8_000;
const MANY = 20;
const TOO_MUCH = "Shown as it was written: the document is too long to format all of it.";

interface DocTextProps {
  text: string;
  /** Whether what changes is shown with a flash: it is the newest version. */
  live: boolean;
  /** Who wrote which section last, and when. */
  changes: ReadonlyMap<string, DocVersion>;
  roster: readonly Named[];
  /** Called with the element of the first section that was written. */
  onWritten: (section: HTMLElement) => void;
}

/** The document, section by section: what did not change is not touched. */
export function DocText({ text, live, changes, roster, onWritten }: DocTextProps) {
  const { sections, rest } = useMemo(() => sectionsOf(text), [text]);
  const container = useRef<HTMLDivElement>(null);
  const before = useRef<ReadonlyMap<string, string>>(undefined);
  useEffect(() => {
    const known = before.current;
    before.current = new Map(sections.map(({ key, text }) => [key, text]));
    if (!known || !live) return;
    const index = sections.findIndex(({ key, text }) => known.get(key) !== text);
    const written = container.current?.children[index];
    if (index >= 0 && written instanceof HTMLElement) onWritten(written);
  }, [sections, live, onWritten]);
  return (
    <div ref={container}>
      {sections.map((section) => (
        <Section
          key={section.key}
          section={section.text}
          heading={section.heading}
          {...lastWritten(section.heading === undefined ? undefined : changes.get(section.heading), roster)}
          live={live}
          isNew={live && before.current !== undefined}
          away={text.length > SHORT}
          many={sections.length > MANY}
        />
      ))}
      {rest ? <AsWritten text={visible(rest)} note={TOO_MUCH} /> : null}
    </div>
  );
}

interface SectionProps {
  section: DocSection["text"];
  heading: DocSection["heading"];
  change: DocVersion | undefined;
  author: string;
  live: boolean;
  /** Whether it came while the document was looked at; told once. */
  isNew: boolean;
  away: boolean;
  many: boolean;
}

const Section = memo(
  function Section({ section, heading, change, author, live, isNew, away, many }: SectionProps) {
    const element = useRef<HTMLElement>(null);
    const came = useRef(isNew);
    useEffect(() => {
      if (came.current && element.current) flashOf(element.current);
      came.current = false;
    }, []);
    return (
      <section
        ref={element}
        data-section={heading}
        className={`scroll-mt-3 ${heading === undefined ? "mt-2 first:mt-0" : "mt-5 first:mt-0"} ${many ? "[contain-intrinsic-size:auto_30rem] [content-visibility:auto]" : ""}`}
      >
        {change ? <LastWritten change={change} author={author} /> : null}
        <Markdown text={section} flash={live} away={away} />
      </section>
    );
  },
  (a, b) =>
    a.section === b.section &&
    a.change === b.change &&
    a.live === b.live &&
    a.away === b.away &&
    a.many === b.many &&
    a.author === b.author,
);

/** By their names, which seldom change: the roster does all the time. */
const lastWritten = (change: DocVersion | undefined, roster: readonly Named[]) => ({
  change,
  author: change?.writtenBy ? nameOfTeam(change.writtenBy, roster) : "",
});

function LastWritten({ change: { version, writtenAt, writtenBy }, author }: { change: DocVersion; author: string }) {
  return (
    <span
      title={`Last written in version ${version}`}
      className="float-right mt-0.5 ml-3 inline-flex max-w-40 items-center gap-1.5 text-xs text-muted-foreground"
    >
      <span
        aria-hidden="true"
        className="size-2 shrink-0 rounded-full"
        style={{ background: teamColour(writtenBy?.id) }}
      />
      <bdi className="truncate">{author}</bdi>
      <RelativeTime at={writtenAt} className="shrink-0" />
    </span>
  );
}
