import type { Digest } from "./use-digest.ts";

export interface SectionChange {
  /** Null for what stands above the first heading. */
  section: string | null;
  handle: string;
  version: number;
  at: string;
}

/** The sections that were written, the one that was written last first, each once. */
export function changedSections(changes: Digest["docChanges"]): SectionChange[] {
  const found = new Map<string | null, SectionChange>();
  for (const { handle, version, at, sections } of (changes ?? []).toReversed()) {
    if (handle === null || version === null || at === null) continue;
    for (const section of sections ?? [null])
      if (!found.has(section)) found.set(section, { section, handle, version, at });
  }
  return [...found.values()];
}
