export interface Relative {
  ref: string;
  title: string;
  status: string;
  /** How it comes from the one that it stands under. */
  relation: string | null;
  of: string | null;
}

export interface Branch extends Relative {
  depth: number;
}

/** The family in the order in which it is read: those that it comes from, the session itself, what comes from each. */
export function familyOf(ancestors: readonly Relative[], self: Relative, descendants: readonly Relative[]): Branch[] {
  const above = ancestors.toReversed().map((one, depth) => ({ ...one, depth }));
  const children = Map.groupBy(descendants, ({ of }) => of);
  const below: Branch[] = [];
  const seen = new Set([self.ref]);
  const open: Branch[] = [{ ...self, depth: above.length }];
  for (let next = open.pop(); next; next = open.pop()) {
    below.push(next);
    const { ref, depth } = next;
    const own = (children.get(ref) ?? []).filter((child) => !seen.has(child.ref));
    for (const child of own) seen.add(child.ref);
    open.push(...own.toReversed().map((child) => ({ ...child, depth: depth + 1 })));
  }
  return [...above, ...below];
}
