import { structuredPatch } from "diff";
import { useMemo } from "react";
import { LongText } from "../markdown/long-text.tsx";
import { visible } from "../markdown/visible.ts";

const MOST_LINES = 5_000;
const LOOKS: Record<string, string> = {
  "+": "bg-green-500/15 border-l-2 border-green-600",
  "-": "bg-red-500/15 border-l-2 border-red-600",
};

/** What changed between two versions, line by line; the sign says it, the colour repeats it. */
export function DocDiff({ from, to }: { from: string; to: string }) {
  const hunks = useMemo(
    () => structuredPatch("", "", from, to, "", "", { context: 3, timeout: 2_000 })?.hunks,
    [from, to],
  );
  if (!hunks) return <p className="p-4 text-sm text-muted-foreground">The two versions differ too much to compare.</p>;
  if (hunks.length === 0) return <p className="p-4 text-sm text-muted-foreground">The two versions are the same.</p>;
  let left = MOST_LINES;
  return (
    <div className="p-2 font-mono text-xs">
      {hunks.map((hunk) => {
        const lines = hunk.lines.slice(0, Math.max(0, left));
        left -= lines.length;
        if (lines.length === 0) return null;
        return (
          <div key={`${hunk.oldStart} ${hunk.newStart}`} className="mb-3">
            <p className="px-2 py-1 text-muted-foreground">
              line {hunk.oldStart} → {hunk.newStart}
            </p>
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines of a diff have no other name
              <p key={index} className={`px-2 break-words whitespace-pre-wrap ${LOOKS[line.charAt(0)] ?? ""}`}>
                <LongText text={visible(line) || " "} />
              </p>
            ))}
          </div>
        );
      })}
      {left <= 0 ? <p className="p-2 text-muted-foreground">Only the first {MOST_LINES} lines are shown.</p> : null}
    </div>
  );
}
