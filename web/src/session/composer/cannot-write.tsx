import { CirclePlay, Lock } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { Button } from "@/components/ui/button";

const ResumeDialog = lazy(() => import("../lineage/resume-dialog.tsx"));

/** In place of the field to write in: why not, and what to do about it. */
export function CannotWrite({ why, hint, children }: { why: string; hint: string | null; children?: React.ReactNode }) {
  return (
    <section
      aria-label="Write"
      className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-t bg-muted/50 px-4 py-2.5 text-sm"
    >
      <Lock aria-hidden className="size-3.5 shrink-0 text-muted-foreground" />
      <p className="mr-auto min-w-0 break-words">
        {why} {hint && <span className="text-muted-foreground">{hint}</span>}
      </p>
      {children}
    </section>
  );
}

export function Concluded({ sessionRef }: { sessionRef: string }) {
  const [open, setOpen] = useState(false);
  return (
    <CannotWrite why="This session is concluded: nothing can be added." hint="A new one starts from its conclusion.">
      <Button size="sm" variant="outline" onClick={() => setOpen(true)}>
        <CirclePlay aria-hidden /> Go on in a new session
      </Button>
      <Suspense>{open ? <ResumeDialog sessionRef={sessionRef} onClose={() => setOpen(false)} /> : null}</Suspense>
    </CannotWrite>
  );
}
