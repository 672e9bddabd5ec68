import { SHAPES } from "./lane-picture.tsx";

/** Each as it is drawn in the lanes. */
const SIGNS: [looks: string, means: string][] = [
  ["h-3 w-5 rounded-sm border border-current bg-current/20", "task"],
  ["h-2 w-px bg-current", "message"],
  [`border-current ${SHAPES.question}`, "question"],
  [`border-current ${SHAPES.decision}`, "decision"],
  [`border-current ${SHAPES.blocker}`, "blocker"],
  ["size-1.5 bg-foreground", "document"],
  ["h-1 w-5 rounded-full bg-current opacity-40", "present"],
];

export function Legend() {
  return (
    <ul aria-label="What the signs mean" className="flex flex-wrap gap-x-4 gap-y-1">
      {SIGNS.map(([looks, means]) => (
        <li key={means} className="flex items-center gap-1.5">
          <span aria-hidden="true" className={looks} />
          {means}
        </li>
      ))}
    </ul>
  );
}
