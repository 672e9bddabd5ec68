import { FilePenLine } from "lucide-react";
import { visibleName } from "../markdown/visible.ts";
import type { DocEdit } from "../queries.ts";
import { useRoster } from "../store/session-provider.tsx";
import { nameOf } from "../team-name.ts";
import { useShow } from "../use-show.ts";
import { QuietLine } from "./system-line.tsx";

const MOST_SECTIONS = 3;

interface Written {
  handle: string;
  first: number;
  last: number;
  at: string;
  sections: string[];
}

/** What one team wrote in a row, as one. */
function written(edits: readonly DocEdit[]): Written[] {
  const runs: Written[] = [];
  for (const { version, writtenAt, writtenBy, sections } of edits) {
    const handle = writtenBy?.handle ?? "";
    const named = (sections ?? []).filter((name) => name !== null);
    const run = runs.at(-1);
    if (run?.handle === handle) {
      run.last = version;
      run.at = writtenAt;
      run.sections = [...new Set([...run.sections, ...named])];
    } else runs.push({ handle, first: version, last: version, at: writtenAt, sections: named });
  }
  return runs;
}

/** What was written in the document between two messages; each opens what it changed. */
export function EditLines({ edits }: { edits: readonly DocEdit[] }) {
  const runs = written(edits);
  const names = useRoster((roster) => runs.map(({ handle }) => nameOf(handle, roster)));
  const show = useShow();
  return runs.map(({ first, last, at, sections }, index) => (
    <QuietLine key={last} icon={<FilePenLine aria-hidden="true" className="size-3.5 self-center" />} at={at}>
      <bdi>{names[index]}</bdi> wrote{" "}
      <button
        type="button"
        className="rounded-sm underline decoration-border underline-offset-2 hover:text-foreground"
        onClick={() => show({ tab: "doc", v: last, view: "diff", from: first - 1 })}
      >
        {first === last ? `version ${last}` : `versions ${first}–${last}`}
      </button>
      {sections.length > 0 ? (
        <bdi>
          : {sections.slice(0, MOST_SECTIONS).map(visibleName).join(", ")}
          {sections.length > MOST_SECTIONS ? ` and ${sections.length - MOST_SECTIONS} more` : ""}
        </bdi>
      ) : null}
    </QuietLine>
  ));
}
