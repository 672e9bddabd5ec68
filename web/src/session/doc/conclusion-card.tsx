import { CircleCheck } from "lucide-react";
import { CopyButton } from "@/components/copy-button.tsx";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import type { SessionHead } from "../queries.ts";
import { conclusionOf } from "./conclusion.ts";

/** How the session ended, and what to tell an agent that goes on from there. */
export function ConclusionCard({ head, text }: { head: SessionHead; text: string }) {
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
      <PickUp head={head} />
    </section>
  );
}

function PickUp({ head }: { head: SessionHead }) {
  const query = JSON.stringify({ query: `{ sessionByRef(ref: "${head.ref}") { title sessionDoc } }` });
  // The title stays out: these lines are handed to an agent as its human's words.
  const lines = `The Parley session ${head.ref} is concluded; go on from there.
1. Read its document: curl -s ${location.origin}/graphql -H 'content-type: application/json' -d '${query}'
2. Read ${location.origin}/AGENTS.md, create a new session and name ${head.ref} in its description.
3. Put what still holds into the new session's document, and begin.`;
  return (
    <div className="mt-3 rounded-md bg-muted p-3">
      <div className="flex items-center justify-between gap-2">
        <h3 className="text-sm font-medium">Pick this up</h3>
        <CopyButton value={lines}>Copy</CopyButton>
      </div>
      <p className="text-xs break-words whitespace-pre-wrap text-muted-foreground">{lines}</p>
    </div>
  );
}
