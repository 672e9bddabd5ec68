import type { Row } from "./queries.ts";

const STATES = ["live", "quiet", "concluded"];

/** What needs somebody, then live, quiet, concluded. */
const rank = ({ needs, state }: Row) => (needs > 0 ? -1 : STATES.indexOf(state));

const minuteOf = ({ lastActivityAt }: Row) => Math.floor(Date.parse(lastActivityAt) / 60_000);

/** Within the same minute nobody overtakes anybody: two busy sessions would change places all the time. */
export const inOrder = (rows: readonly Row[]): Row[] =>
  rows.toSorted((a, b) => rank(a) - rank(b) || minuteOf(b) - minuteOf(a));

/** The rows with those that have changed in them; those that nothing has happened to stay the same objects. */
export function withChanged(rows: readonly Row[], changed: readonly Row[]): Row[] {
  const news = new Map(changed.map((row) => [row.id, row]));
  const known = rows.map((row) => news.get(row.id) ?? row);
  for (const { id } of rows) news.delete(id);
  return inOrder([...news.values(), ...known]);
}

/** Whether the inbox may read otherwise now. */
export const changesNeeds = (rows: readonly Row[], changed: readonly Row[]) =>
  changed.some((row) => row.needs > 0 || (rows.find(({ id }) => id === row.id)?.needs ?? 0) > 0);

export interface Group {
  name: string;
  rows: Row[];
}

/** By what they come from, or by the board that they are on; each group where its first row stands. */
export function inGroups(rows: readonly Row[], by: "lineage" | "board"): Group[] {
  const nameOf = (row: Row) => (by === "board" ? (row.board ?? "") : row.family);
  const groups = Map.groupBy(rows, nameOf);
  // Whatever is on no board comes last, and families of one stand together.
  const alone = by === "lineage" ? [...groups].filter(([, members]) => members.length === 1).flatMap(([, m]) => m) : [];
  const named = [...groups]
    .filter(([name, members]) => (by === "board" ? name !== "" : members.length > 1))
    .map(([name, members]) => ({ name, rows: by === "lineage" ? eldestFirst(members) : members }));
  const rest = by === "board" ? (groups.get("") ?? []) : alone;
  return rest.length > 0 ? [...named, { name: "", rows: rest }] : named;
}

/** A child stands below what it comes from. */
function eldestFirst(family: Row[]): Row[] {
  const childrenOf = Map.groupBy(family, ({ origin }) => origin ?? "");
  const refs = new Set(family.map(({ ref }) => ref));
  const below = (row: Row): Row[] => [row, ...(childrenOf.get(row.ref) ?? []).flatMap(below)];
  return family.filter(({ origin }) => !origin || !refs.has(origin)).flatMap(below);
}
