import { CircleCheck, Play } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Button } from "@/components/ui/button";
import { SessionLinks } from "../lineage/session-links.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { visibleName } from "../markdown/visible.ts";
import type { RelatedSession, SessionHead } from "../queries.ts";

const ResumeDialog = lazy(() => import("../lineage/resume-dialog.tsx"));

interface ConclusionCardProps {
  head: SessionHead;
  conclusion: string | undefined;
  continuations: readonly RelatedSession[];
}

/** How the session ended, and how to go on from there. */
export function ConclusionCard({ head, conclusion, continuations }: ConclusionCardProps) {
  return (
    <section aria-label="Conclusion" className="m-4 rounded-lg border bg-card p-4 shadow-xs">
      <h2 className="flex flex-wrap items-center gap-2 font-semibold">
        <CircleCheck aria-hidden="true" className="size-4 text-active-foreground" /> Concluded
        {head.closedAt ? (
          <RelativeTime at={head.closedAt} className="text-xs font-normal text-muted-foreground" />
        ) : null}
      </h2>
      {conclusion ? (
        <div className="mt-2 text-sm">
          <Markdown text={conclusion} />
        </div>
      ) : (
        <p className="mt-2 text-sm text-muted-foreground">The document has no section “Conclusion”.</p>
      )}
      <WayOn sessionRef={head.ref} continuations={continuations} />
    </section>
  );
}

function WayOn({ sessionRef, continuations }: { sessionRef: string; continuations: readonly RelatedSession[] }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="mt-3 border-t pt-3 text-sm">
      {continuations.length > 0 ? (
        <GoesOn sessions={continuations} />
      ) : (
        <Button size="sm" onClick={() => setOpen(true)}>
          <Play aria-hidden="true" /> Pick this up
        </Button>
      )}
      {/* It stays when somebody else was faster: the server says so to whoever goes on in it. */}
      <Suspense>{open ? <ResumeDialog sessionRef={sessionRef} onClose={() => setOpen(false)} /> : null}</Suspense>
    </div>
  );
}

function GoesOn({ sessions }: { sessions: readonly RelatedSession[] }) {
  const newest = sessions.at(-1);
  return (
    <>
      <p className="text-base font-semibold break-words">
        Continued in <SessionLinks sessions={sessions} />
      </p>
      {newest ? (
        <p className="mt-0.5 break-words text-muted-foreground">
          <bdi>{visibleName(newest.title)}</bdi>, {newest.state}
        </p>
      ) : null}
    </>
  );
}
