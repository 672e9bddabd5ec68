import { clock, full } from "../format.ts";
import { visible } from "../markdown/visible.ts";
import type { DocVersion } from "../queries.ts";

interface VersionSelectProps {
  label: string;
  versions: DocVersion[];
  /** The number of the newest version; it is offered even before its author is known. */
  newest: number;
  value: number;
  withEmpty?: boolean;
  onChange: (version: number) => void;
}

export function VersionSelect({ label, versions, newest, value, withEmpty, onChange }: VersionSelectProps) {
  const chosen = versions.find(({ version }) => version === value);
  return (
    <select
      aria-label={label}
      title={chosen ? `${full(chosen.writtenAt)} by ${visible(chosen.writtenBy?.teamName ?? "")}` : label}
      value={value}
      onChange={(event) => onChange(Number(event.target.value))}
      className="h-8 max-w-52 min-w-0 flex-1 truncate rounded-md border bg-background pr-6 pl-2 text-sm"
    >
      {versions[0]?.version === newest ? null : <option value={newest}>v{newest}</option>}
      {versions.map(({ version, writtenAt, writtenBy }) => (
        <option key={version} value={version}>
          v{version} · {clock(writtenAt)} · {visible(writtenBy?.teamName ?? "unknown").slice(0, 40)}
        </option>
      ))}
      {withEmpty ? <option value={0}>empty</option> : null}
    </select>
  );
}
