import { ChevronRight } from "lucide-react";
import { useQuery } from "urql";
import { Badge } from "@/components/ui/badge";
import { CommandLine } from "@/connect/command-line.tsx";
import { DocDiff } from "@/session/doc/doc-diff.tsx";
import { type ChangedFunctionData, ChangedFunctionsQuery } from "./queries.ts";
import { Section } from "./section.tsx";

/** What a DBA has changed in the database, against what was shipped. Nothing is shown where nothing was changed. */
export function ChangedFunctions() {
  const [{ data }] = useQuery({ query: ChangedFunctionsQuery });
  const changed = data?.changedFunctions?.nodes ?? [];
  if (changed.length === 0) return null;
  return (
    <Section
      title="Changed in the database"
      about="Functions of Parley that somebody has changed there. They stay as they are when a new version starts."
    >
      <div className="divide-y">
        {changed.map((one) => (
          <ChangedFunction key={`${one.signature} ${one.keptAside !== null}`} changed={one} />
        ))}
      </div>
    </Section>
  );
}

function ChangedFunction({ changed }: { changed: ChangedFunctionData }) {
  const { name, signature, file, ours, theirs, movedOn, revokedFrom, keptAside } = changed;
  const told = ours !== null || theirs !== null;
  return (
    <details className="group px-4 py-3">
      <summary className="flex cursor-pointer flex-wrap items-center gap-2 rounded-md outline-none focus-visible:ring-2 focus-visible:ring-ring">
        <ChevronRight aria-hidden className="size-4 shrink-0 text-muted-foreground group-open:rotate-90" />
        <h3 className="min-w-0 font-mono text-[13px] font-medium break-all">{name}</h3>
        {keptAside !== null && <Badge variant="destructive">kept aside</Badge>}
        {keptAside === null && movedOn && <Badge variant="secondary">ours has changed since</Badge>}
        {revokedFrom?.length ? <Badge variant="outline">not for {revokedFrom.join(", ")}</Badge> : null}
      </summary>
      <div className="flex flex-col gap-3 pt-3 text-sm">
        <p className="break-words text-muted-foreground">
          {keptAside !== null ? `It does not fit this version, so ours stands: ${keptAside}` : signature}
        </p>
        {told ? (
          <div className="rounded-md border">
            <p className="border-b px-4 py-2 text-xs text-muted-foreground">
              − ours{file && `, db/${file}`} · + {theirs === null ? "dropped" : "in this database"}
            </p>
            <DocDiff from={ours ?? ""} to={theirs ?? ""} />
          </div>
        ) : (
          <p>What both say is shown only on the machine that the server runs on, under http://localhost.</p>
        )}
        <p className="text-muted-foreground">To take ours, on the server's machine:</p>
        <CommandLine text={`npx parley admin sources --reset ${name}`} />
      </div>
    </details>
  );
}
