import { Select, SelectContent, SelectItem, SelectTrigger, SelectValue } from "@/components/ui/select";
import { clock, full } from "../format.ts";
import { visibleName } from "../markdown/visible.ts";
import type { DocVersion } from "../queries.ts";

/** Where there is no room, the number is enough; the list that opens tells the rest. */
const SHORT = { one: "@max-md:hidden", two: "@max-3xl:hidden" };

interface VersionSelectProps {
  /** How many of them share the line. */
  of: keyof typeof SHORT;
  label: string;
  versions: readonly DocVersion[];
  /** The number of the newest version; it is offered even before its author is known. */
  newest: number;
  value: number;
  withEmpty?: boolean;
  onChange: (version: number) => void;
  /** Called when the list opens. */
  onOpen: () => void;
}

const nameOf = (version: number) => (version === 0 ? "empty" : `v${version}`);
const restOf = ({ writtenAt, writtenBy }: DocVersion) =>
  ` · ${clock(writtenAt)} · ${visibleName(writtenBy?.teamName ?? "unknown").slice(0, 40)}`;

export function VersionSelect(props: VersionSelectProps) {
  const { of, label, versions, newest, value, withEmpty, onChange, onOpen } = props;
  const chosen = versions.find(({ version }) => version === value);
  const listed = [
    ...(versions[0]?.version === newest ? [] : [newest]),
    ...versions.map(({ version }) => version),
    ...(withEmpty ? [0] : []),
  ];
  return (
    <Select
      value={String(value)}
      onValueChange={(version) => onChange(Number(version))}
      onOpenChange={(open) => open && onOpen()}
    >
      <SelectTrigger
        size="sm"
        aria-label={label}
        title={chosen ? `${full(chosen.writtenAt)} by ${visibleName(chosen.writtenBy?.teamName ?? "")}` : label}
        className="min-w-0 gap-1 px-2"
      >
        <SelectValue>
          <span className="truncate">
            {nameOf(value)}
            {chosen ? <span className={SHORT[of]}>{restOf(chosen)}</span> : null}
          </span>
        </SelectValue>
      </SelectTrigger>
      <SelectContent className="max-h-80">
        {listed.includes(value) ? null : <SelectItem value={String(value)}>{nameOf(value)}</SelectItem>}
        {listed.map((version) => {
          const known = versions.find((one) => one.version === version);
          return (
            <SelectItem key={version} value={String(version)}>
              {nameOf(version)}
              {known ? restOf(known) : ""}
            </SelectItem>
          );
        })}
      </SelectContent>
    </Select>
  );
}
