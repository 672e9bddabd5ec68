import { useEffect, useMemo, useRef, useState } from "react";
import { ask } from "@/lib/ask.ts";
import { type DocVersion, DocVersionQuery, DocVersionsQuery } from "../queries.ts";

const AT_FIRST = 100;
const MOST = 500;
const READ_AGAIN_MS = 1_000;

interface Wanted {
  newest: number;
  /** Whether somebody looks: else what is new can wait. */
  shown: boolean;
  /** Whether older ones are asked for than the page needs by itself. */
  all: boolean;
}

/** Who wrote which version, newest first. What is known is not read again: only what came since. */
export function useDocVersions(id: string, { newest, shown, all }: Wanted): readonly DocVersion[] {
  const [versions, setVersions] = useState<readonly DocVersion[]>([]);
  const readAt = useRef(0);
  const known = versions[0]?.version ?? 0;
  const older = all && versions.length === AT_FIRST;
  useEffect(() => {
    const missing = older ? MOST : known === 0 ? AT_FIRST : newest - known;
    if (!shown || newest === 0 || missing <= 0) return;
    let current = true;
    const read = async () => {
      readAt.current = Date.now();
      const { data } = await ask(DocVersionsQuery, { id, first: Math.min(MOST, missing) });
      const found = data?.session?.sessionDocHistories.nodes;
      if (current && found) setVersions((before) => joined(found, before));
    };
    // Somebody who writes line by line is not asked about each.
    const timer = setTimeout(read, Math.max(0, readAt.current + READ_AGAIN_MS - Date.now()));
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [id, newest, shown, known, older]);
  return versions;
}

function joined(found: readonly DocVersion[], before: readonly DocVersion[]): readonly DocVersion[] {
  const oldest = found.at(-1)?.version ?? 0;
  return [...found, ...before.filter(({ version }) => version < oldest)].slice(0, MOST);
}

/** Who wrote each section last, by its heading. */
export const useChanges = (versions: readonly DocVersion[]): ReadonlyMap<string, DocVersion> =>
  useMemo(() => {
    const changes = new Map<string, DocVersion>();
    for (const version of versions)
      for (const section of version.sections ?? [])
        if (section !== null && !changes.has(section)) changes.set(section, version);
    return changes;
  }, [versions]);

/** The text of one version; undefined while it is on its way. Version 0 is the empty document. */
export function useDocVersion(id: string, version: number | undefined): { text?: string; failed: boolean } {
  const [read, setRead] = useState<{ version: number; text?: string; failed: boolean }>();
  useEffect(() => {
    if (!version) return;
    let current = true;
    ask(DocVersionQuery, { id, version }).then(({ data, error }) => {
      if (!current) return;
      if (error) setRead({ version, failed: true });
      else setRead({ version, text: data?.sessionDocHistory?.content ?? "", failed: false });
    });
    return () => {
      current = false;
    };
  }, [id, version]);
  if (version === 0) return { text: "", failed: false };
  return read && read.version === version ? read : { failed: false };
}
