import { CircleCheck, Play } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Button } from "@/components/ui/button";
import { SessionLinks } from "../lineage/session-links.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import type { RelatedSession, SessionHead } from "../queries.ts";
import { conclusionOf } from "./conclusion.ts";

const ResumeDialog = lazy(() => import("../lineage/resume-dialog.tsx"));

interface ConclusionCardProps {
  head: SessionHead;
  text: string;
  continuations: RelatedSession[];
}

/** How the session ended, and how to go on from there. */
export function ConclusionCard({ head, text, continuations }: ConclusionCardProps) {
  if (head.status !== "closed") return null;
  const conclusion = conclusionOf(text);
  return (
    <section aria-label="Conclusion" className="m-4 rounded-lg border bg-card p-4 shadow-xs">
      <h2 className="flex flex-wrap items-center gap-2 font-semibold">
        <CircleCheck aria-hidden="true" className="size-4 text-active-foreground" /> Concluded
        {head.closedAt ? (
          <RelativeTime at={head.closedAt} className="text-xs font-normal text-muted-foreground" />
        ) : null}
      </h2>
      {conclusion ? (
        <div className="mt-2 max-h-[40vh] overflow-y-auto text-sm">
          <Markdown text={conclusion} />
        </div>
      ) : (
        <p className="mt-2 text-sm text-muted-foreground">The document has no section “Conclusion”.</p>
      )}
      <PickUp head={head} continuations={continuations} />
    </section>
  );
}

function PickUp({ head, continuations }: { head: SessionHead; continuations: RelatedSession[] }) {
  const [open, setOpen] = useState(false);
  // There is one at a time: while it is open, the way on is to join it.
  const running = continuations.find(({ state }) => state !== "concluded");
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 border-t pt-3 text-sm">
      {continuations.length > 0 ? (
        <p className="min-w-0 text-muted-foreground">
          Continued in <SessionLinks sessions={continuations} />
        </p>
      ) : null}
      {running ? null : (
        <Button variant="outline" size="sm" onClick={() => setOpen(true)}>
          <Play aria-hidden="true" /> Pick this up
        </Button>
      )}
      <Suspense>{open ? <ResumeDialog sessionRef={head.ref} onClose={() => setOpen(false)} /> : null}</Suspense>
    </div>
  );
}
