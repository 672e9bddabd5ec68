import { ChevronDown } from "lucide-react";
import { clock, full } from "../format.ts";
import { visibleName } from "../markdown/visible.ts";
import type { DocVersion } from "../queries.ts";

/** Where there is no room, the number is enough; the list that opens tells the rest. */
const SHORT = {
  one: { select: "@max-md:w-19 @max-md:text-transparent", number: "@max-md:flex" },
  two: { select: "@max-3xl:w-19 @max-3xl:text-transparent", number: "@max-3xl:flex" },
};

interface VersionSelectProps {
  /** How many of them share the line. */
  of: keyof typeof SHORT;
  label: string;
  versions: DocVersion[];
  /** The number of the newest version; it is offered even before its author is known. */
  newest: number;
  value: number;
  withEmpty?: boolean;
  onChange: (version: number) => void;
}

export function VersionSelect({ of, label, versions, newest, value, withEmpty, onChange }: VersionSelectProps) {
  const chosen = versions.find(({ version }) => version === value);
  return (
    <span className="relative inline-flex max-w-full min-w-0">
      <select
        aria-label={label}
        title={chosen ? `${full(chosen.writtenAt)} by ${visibleName(chosen.writtenBy?.teamName ?? "")}` : label}
        value={value}
        onChange={(event) => onChange(Number(event.target.value))}
        className={`h-8 max-w-full min-w-0 truncate rounded-md border bg-background pr-6 pl-2 text-sm ${SHORT[of].select}`}
      >
        {versions[0]?.version === newest ? null : (
          <option value={newest} className="text-foreground">
            v{newest}
          </option>
        )}
        {versions.map(({ version, writtenAt, writtenBy }) => (
          <option key={version} value={version} className="text-foreground">
            v{version} · {clock(writtenAt)} · {visibleName(writtenBy?.teamName ?? "unknown").slice(0, 40)}
          </option>
        ))}
        {withEmpty ? (
          <option value={0} className="text-foreground">
            empty
          </option>
        ) : null}
      </select>
      <span
        aria-hidden="true"
        className={`pointer-events-none absolute inset-0 hidden items-center pr-1.5 pl-2.5 text-sm ${SHORT[of].number}`}
      >
        {value === 0 ? "empty" : `v${value}`}
        <ChevronDown className="ml-auto size-4" />
      </span>
    </span>
  );
}
