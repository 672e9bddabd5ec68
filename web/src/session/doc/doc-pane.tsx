import { useMemo, useRef, useState } from "react";
import { Skeleton } from "@/components/ui/skeleton";
import { LongText } from "../markdown/long-text.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { visible } from "../markdown/visible.ts";
import type { RelatedSession, SessionHead } from "../queries.ts";
import { splitConclusion } from "./conclusion.ts";
import { ConclusionCard } from "./conclusion-card.tsx";
import { DocDiff } from "./doc-diff.tsx";
import { DocToolbar, type DocView } from "./doc-toolbar.tsx";
import { useDocVersion, useDocVersions } from "./use-doc-versions.ts";

interface DocPaneProps {
  head: SessionHead;
  /** The newest version. */
  text: string;
  /** An older version that is looked at. */
  pinned: number | undefined;
  onPin: (version: number | undefined) => void;
  continuations: RelatedSession[];
}

export function DocPane({ head, text: newestText, pinned, onPin, continuations }: DocPaneProps) {
  const newest = head.sessionDocVersion;
  const versions = useDocVersions(head.id, newest);
  const [view, setView] = useState<DocView>("read");
  const [compared, setCompared] = useState<number>();
  const container = useRef<HTMLDivElement>(null);

  const version = pinned ?? newest;
  const base = compared ?? Math.max(0, version - 1);
  const older = useDocVersion(head.id, pinned);
  const before = useDocVersion(head.id, view === "diff" ? base : undefined);
  const shown = pinned === undefined ? { text: newestText, failed: false } : older;

  const concluded = head.status === "closed" && pinned === undefined && view === "read";
  const parts = useMemo(() => (concluded ? splitConclusion(newestText) : undefined), [concluded, newestText]);

  return (
    <section aria-label="Document" className="flex h-full min-h-0 flex-col">
      <DocToolbar
        fileName={`${head.ref}-v${version}.md`}
        text={shown.text ?? ""}
        view={view}
        onView={setView}
        versions={versions}
        newest={newest}
        version={version}
        onVersion={(chosen) => onPin(chosen === newest ? undefined : chosen)}
        base={base}
        onBase={setCompared}
        container={container}
      />
      <section
        ref={container}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard
        tabIndex={0}
        aria-label={`Document, version ${version}`}
        className="min-h-0 flex-1 overflow-y-auto"
      >
        {parts ? <ConclusionCard head={head} conclusion={parts.conclusion} continuations={continuations} /> : null}
        {shown.failed || before.failed ? (
          <p className="p-4 text-sm">This version could not be read. Choose it again.</p>
        ) : shown.text === undefined ? (
          <Loading />
        ) : view === "diff" ? (
          before.text === undefined ? (
            <Loading />
          ) : (
            <DocDiff from={before.text} to={shown.text} />
          )
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
            <Markdown text={parts?.rest ?? shown.text} flash={pinned === undefined} />
          </div>
        )}
      </section>
    </section>
  );
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
