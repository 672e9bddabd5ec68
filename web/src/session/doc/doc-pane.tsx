import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Skeleton } from "@/components/ui/skeleton";
import { sessionRoute } from "@/router.tsx";
import { LongText } from "../markdown/long-text.tsx";
import { visible } from "../markdown/visible.ts";
import { recall, remember } from "../remembered.ts";
import { useSession } from "../store/session-provider.tsx";
import { useShow } from "../use-show.ts";
import { splitConclusion } from "./conclusion.ts";
import { ConclusionCard } from "./conclusion-card.tsx";
import { Contents } from "./contents.tsx";
import { DocDiff } from "./doc-diff.tsx";
import { DocText } from "./doc-text.tsx";
import { DocToolbar } from "./doc-toolbar.tsx";
import { useHeadings, useShowHeading } from "./headings.ts";
import { RenderedDiff } from "./rendered-diff.tsx";
import { useChanges, useDocVersion, useDocVersions } from "./use-doc-versions.ts";

const FOLLOW = "parley:follow";

/** What the teams write down: as it reads, as it is written, and how it became so. */
export function DocPane({ shown: inSight }: { shown: boolean }) {
  const { head, doc, continuations, roster } = useSession(({ head, doc, lineage, participants }) => ({
    head,
    doc,
    continuations: lineage.continuations,
    roster: participants,
  }));
  const newest = Math.max(doc.version, head.sessionDocVersion);
  const { v, view = "read", from: compared, section } = sessionRoute.useSearch();
  const show = useShow();
  const container = useRef<HTMLDivElement>(null);

  // An older version that is looked at; the newest is followed.
  const pinned = v !== undefined && v < newest ? v : undefined;
  const version = pinned ?? newest;
  const comparing = view === "diff" || view === "lines";
  const base = compared ?? Math.max(0, version - 1);
  const older = useDocVersion(head.id, pinned);
  const before = useDocVersion(head.id, comparing ? base : undefined);
  const shown = pinned === undefined ? { text: doc.text, failed: false } : older;

  const [all, setAll] = useState(false);
  const versions = useDocVersions(head.id, { newest, shown: inSight, all });
  const changes = useChanges(versions);

  const closed = head.status === "closed";
  const concluded = closed && pinned === undefined && view === "read";
  const parts = useMemo(() => (concluded ? splitConclusion(doc.text) : undefined), [concluded, doc.text]);

  const headings = useHeadings(container, inSight && view === "read");
  const showHeading = useShowHeading(container);
  useNamedSection(section, view === "read", showHeading);

  const [follows, setFollows] = useState(() => recall(FOLLOW) === "yes");
  const follow = (chosen: boolean) => {
    setFollows(chosen);
    remember(FOLLOW, chosen ? "yes" : "no");
  };
  const onWritten = useCallback(
    (written: HTMLElement) => {
      if (follows) written.scrollIntoView({ block: "start" });
    },
    [follows],
  );

  return (
    <section aria-label="Document" className="@container flex h-full min-h-0 flex-col">
      <DocToolbar
        fileName={`${head.ref}-v${version}.md`}
        text={shown.text ?? ""}
        view={view}
        onView={(chosen) => show({ view: chosen === "read" ? undefined : chosen })}
        versions={versions}
        onVersions={() => setAll(true)}
        newest={newest}
        version={version}
        onVersion={(chosen) => show({ v: chosen === newest ? undefined : chosen })}
        base={base}
        onBase={(from) => show({ from })}
        headings={headings}
        onHeading={showHeading}
        follows={closed || pinned !== undefined ? undefined : follows}
        onFollow={follow}
      />
      <div className="flex min-h-0 flex-1">
        {view === "read" ? <Contents headings={headings} changes={changes} onShow={showHeading} /> : null}
        <section
          ref={container}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard
          tabIndex={0}
          aria-label={`Document, version ${version}`}
          className="min-h-0 min-w-0 flex-1 overflow-y-auto"
        >
          {parts ? <ConclusionCard head={head} conclusion={parts.conclusion} continuations={continuations} /> : null}
          {shown.failed || before.failed ? (
            <p className="p-4 text-sm">This version could not be read. Choose it again.</p>
          ) : shown.text === undefined || (comparing && before.text === undefined) ? (
            <Loading />
          ) : view === "diff" ? (
            <RenderedDiff from={before.text ?? ""} to={shown.text} onLines={() => show({ view: "lines" })} />
          ) : view === "lines" ? (
            <DocDiff from={before.text ?? ""} to={shown.text} />
          ) : shown.text.trim() === "" ? (
            <p className="p-6 text-sm text-muted-foreground">
              The document is empty. Teams write what they find, decide and hand over here.
            </p>
          ) : view === "raw" ? (
            <pre className="p-4 font-mono text-xs break-words whitespace-pre-wrap">
              <LongText text={visible(shown.text)} />
            </pre>
          ) : (
            <div className="max-w-[80ch] p-4 text-sm">
              {/* What the card says is not said again below it. */}
              <DocText
                text={parts?.rest ?? shown.text}
                live={pinned === undefined}
                changes={changes}
                roster={roster}
                onWritten={onWritten}
              />
            </div>
          )}
        </section>
      </div>
    </section>
  );
}

/** The section that the address names is brought into sight as soon as it is there, once. */
function useNamedSection(section: string | undefined, reading: boolean, show: (section: string) => boolean) {
  useEffect(() => {
    if (section === undefined || !reading || show(section)) return;
    let tries = 40;
    const timer = setInterval(() => {
      if (show(section) || --tries === 0) clearInterval(timer);
    }, 100);
    return () => clearInterval(timer);
  }, [section, reading, show]);
}

function Loading() {
  return (
    <div className="space-y-3 p-4">
      <Skeleton className="h-5 w-1/2" />
      <Skeleton className="h-4" />
      <Skeleton className="h-4 w-4/5" />
    </div>
  );
}
