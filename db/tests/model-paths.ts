import {
  type Args,
  badPaths,
  collide,
  collisions,
  freeLapsed,
  type Held,
  type ModelVerbs,
  TAKEN,
  verb,
  wholeOrNot,
} from "./model-work.ts";
import { type Expected, type ModelTeam, ok, SOME, tell, unreadBy } from "./model-world.ts";

/** What the verbs of paths answer. */
function claimPaths(team: ModelTeam, args: Args): Expected {
  const { session } = team;
  const { work } = session;
  freeLapsed(session, team);
  const paths = [...new Set(args.paths as string[])];
  if (collisions(work, team, paths).length > 0) return TAKEN;
  const known = (path: string) => work.held.some((h) => h.team === team && h.task === 0 && h.path === path);
  work.held = [...work.held, ...paths.filter((path) => !known(path)).map((path) => ({ team, path, task: 0 }))];
  return ok({ claimed: paths, expires_at: SOME, unread: unreadBy(team) });
}

function releasePaths(team: ModelTeam, args: Args): Expected {
  const { work } = team.session;
  const named = args.paths as string[] | undefined;
  const gone = work.held.filter((h) => h.team === team && h.task === 0 && (named?.includes(h.path) ?? true));
  work.held = work.held.filter((h) => !gone.includes(h));
  return ok({ released: gone.map(({ path }) => path).sort(), unread: unreadBy(team) });
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function listPaths(team: ModelTeam): Expected {
  const { session } = team;
  const order = (h: Held) => session.teams.indexOf(h.team);
  const held = session.work.held.toSorted((a, b) => byText(a.path, b.path) || order(a) - order(b) || a.task - b.task);
  const changes = session.teams.flatMap((other) =>
    [...(session.work.changed.get(other) ?? [])]
      .filter(([, paths]) => paths.length > 0)
      .sort(([a], [b]) => byText(a, b))
      .map(([branch, paths]) => ({
        handle: other.handle,
        branch: branch || null,
        head: null,
        paths: paths.length,
        at: SOME,
      })),
  );
  return ok({
    paths: held.map((h) => ({
      path: h.path,
      claimed_by: h.team.handle,
      task: h.task || null,
      note: null,
      expires_at: SOME,
    })),
    changes,
    unread: unreadBy(team),
  });
}

function reportChanges(team: ModelTeam, args: Args): Expected {
  const { session } = team;
  const { work } = session;
  const mine = work.changed.get(team) ?? new Map<string, string[]>();
  work.changed.set(team, mine.set((args.branch as string | undefined) ?? "", [...new Set(args.paths as string[])]));
  freeLapsed(session, team);
  const changed = [...new Set([...mine.values()].flat())];
  const found = changed.flatMap((path) => [
    ...work.held
      .filter((h) => h.team !== team && collide(path, h.path))
      .map((h) => ({
        path,
        team: h.team,
        claimed: h.path as string | null,
        task: h.task || null,
        branch: null as string | null,
      })),
    ...session.teams.flatMap((other) =>
      other === team
        ? []
        : [...(work.changed.get(other) ?? [])]
            .filter(([, paths]) => paths.includes(path))
            .map(([branch]) => ({ path, team: other, claimed: null, task: null, branch: branch || null })),
    ),
  ]);
  tellOverlaps(team, found);
  const last = "\uffff";
  const key = (o: (typeof found)[number]) =>
    [o.path, o.team.handle, o.claimed ?? last, String(o.task ?? last), o.branch ?? last].join("\0");
  const unique = new Map(found.map((o) => [key(o), o]));
  return ok({
    changed: changed.length,
    overlaps: [...unique]
      .sort(([a], [b]) => byText(a, b))
      .map(([, { team: other, ...o }]) => ({ ...o, handle: other.handle })),
    unread: unreadBy(team),
  });
}

function tellOverlaps(team: ModelTeam, found: { path: string; team: ModelTeam }[]): void {
  const { session } = team;
  const { overlaps } = session.work;
  const key = (other: ModelTeam, path: string) =>
    `${[team, other].map((t) => session.teams.indexOf(t)).sort((a, b) => a - b)} ${path}`;
  const me = session.teams.indexOf(team);
  const now = new Set(found.map((o) => key(o.team, o.path)));
  for (const known of overlaps) {
    const teams = known.split(" ")[0]?.split(",").map(Number);
    if (teams?.includes(me) && !now.has(known)) overlaps.delete(known);
  }
  for (const other of session.teams) {
    const paths = found.filter((o) => o.team === other && !overlaps.has(key(other, o.path))).map(({ path }) => path);
    if (paths.length === 0) continue;
    for (const path of paths) overlaps.add(key(other, path));
    const teams = [team.handle, other.handle];
    const fields = { by: team.name, handle: team.handle, teams, paths: [...new Set(paths)].sort(byText), more: null };
    tell(session, team, { event: "paths_overlap", ...fields });
  }
}

export const pathVerbs: ModelVerbs = {
  claim_paths: verb(({ paths }) => (paths as string[]).length === 0 || badPaths(paths), wholeOrNot(claimPaths)),
  release_paths: verb(({ paths }) => badPaths(paths), releasePaths),
  list_paths: verb(() => false, listPaths, true),
  report_changes: verb(({ paths }) => badPaths(paths), reportChanges),
};
