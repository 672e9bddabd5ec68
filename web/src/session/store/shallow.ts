/** Whether two values are the same, or hold the same, one level deep. */
export function shallowEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return (
    keys.length === others.length &&
    keys.every((key) => Object.is((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
  );
}

/** The object as it was, if it would only be replaced by an equal one. */
export const keep = <T>(before: T, after: T): T => (shallowEqual(before, after) ? before : after);

/** A list of rows that were read anew: each that has not changed stays the object that it was. */
export function keepRows<T extends { id: unknown }>(before: readonly T[], after: readonly T[]): readonly T[] {
  const known = new Map(before.map((row) => [row.id, row]));
  const rows = after.map((row) => {
    const old = known.get(row.id);
    return old && JSON.stringify(old) === JSON.stringify(row) ? old : row;
  });
  return keep(before, rows);
}
