import {
  CLOSED,
  type Expected,
  INVALID,
  type ModelSession,
  type ModelTeam,
  NOBODY,
  refused,
  tell,
} from "./model-world.ts";

/** Tasks, leases and paths, as plainly as they can be said. */

export interface ModelTask {
  task: number;
  title: string;
  body: string;
  status: "open" | "claimed" | "blocked" | "done" | "dropped";
  holder?: ModelTeam | undefined;
  doer?: ModelTeam | undefined;
  author: ModelTeam;
  priority: number;
  dependsOn: number[];
  paths: string[];
  check: string | null;
  result: string | null;
  evidence: object[] | null;
  proof: string | null;
  branch?: string | undefined;
  commit?: string | undefined;
  verified?: { by: ModelTeam; commit: string | null } | undefined;
  version: number;
}

export interface Held {
  team: ModelTeam;
  path: string;
  task: number;
}

/** What is divided and held in a session. */
export interface ModelWork {
  tasks: ModelTask[];
  held: Held[];
  /** By team, then by branch. */
  changed: Map<ModelTeam, Map<string, string[]>>;
  overlaps: Set<string>;
  keys: Map<string, { tasks: string; numbers: number[] }>;
}

export const newWork = (): ModelWork => ({
  tasks: [],
  held: [],
  changed: new Map(),
  overlaps: new Set(),
  keys: new Map(),
});

/** All the files that there are: two of these patterns collide when there is one that both stand for. */
const FILES = ["src/a.ts", "src/b.ts", "src/deep/a.ts", "src/x.sql", "docs/x.md", "docs/x.sql", "db/x.sql"];
const STAND_FOR: Record<string, RegExp> = {
  "src/": /^src\//,
  "src/a.ts": /^src\/a\.ts$/,
  "src/*.ts": /^src\/[^/]+\.ts$/,
  "src/**/a.ts": /^src\/(.*\/)?a\.ts$/,
  "**/*.sql": /\.sql$/,
  "docs/": /^docs\//,
};
export const PATTERNS = Object.keys(STAND_FOR);
export const collide = (one: string, other: string) =>
  one === other || FILES.some((file) => STAND_FOR[one]?.test(file) && STAND_FOR[other]?.test(file));

const finished = ({ status }: ModelTask) => status === "done" || status === "dropped";
export const blockers = ({ tasks }: ModelWork, { dependsOn }: ModelTask) =>
  dependsOn.filter((n) => tasks.some((other) => other.task === n && !finished(other)));
export const statusOf = (work: ModelWork, task: ModelTask) =>
  task.status === "open" && blockers(work, task).length > 0 ? "blocked" : task.status;
export const collisions = ({ held }: ModelWork, team: ModelTeam, paths: string[]) =>
  held.filter((h) => h.team !== team && paths.some((path) => collide(path, h.path)));
export const claimedBy = (team: ModelTeam) =>
  team.session.work.tasks.filter(({ holder }) => holder === team).map(({ task }) => task);

export function workOf({ work }: ModelSession) {
  if (work.tasks.length === 0) return null;
  const count = (status: string) => work.tasks.filter((task) => statusOf(work, task) === status).length;
  const [open, blocked, claimed, done, dropped] = ["open", "blocked", "claimed", "done", "dropped"].map(count);
  return { open, blocked, claimed, done, dropped };
}

export const unfinished = ({ work }: ModelSession) => work.tasks.filter((task) => !finished(task)).length;

/** Gives back what a team has claimed, and tells it. */
export function freeClaims(team: ModelTeam, reason: string, teller: ModelTeam = NOBODY): void {
  const { work } = team.session;
  for (const task of work.tasks.filter(({ holder }) => holder === team)) {
    Object.assign(task, { status: "open", holder: undefined, version: task.version + 1 });
    const handle = teller.handle ? { handle: teller.handle } : {};
    tell(team.session, teller, {
      event: "task_freed",
      ...named(task),
      ...handle,
      team: team.name,
      from: team.handle,
      reason,
    });
  }
  work.held = work.held.filter((held) => held.team !== team);
}

export const freeLapsed = (session: ModelSession, caller?: ModelTeam) => {
  for (const team of session.teams) if (team.lapsed && !team.left && team !== caller) freeClaims(team, "lease expired");
};

/** The session is over: nobody is at work in it. */
export function endClaims({ work }: ModelSession): void {
  for (const task of work.tasks) if (task.holder) Object.assign(task, { status: "open", holder: undefined });
  work.held = [];
}

export const named = ({ task, title }: ModelTask) => ({ task, title });

export const TAKEN = refused(409, "already_claimed");

export type Args = Record<string, unknown>;
export type Verb = (team: ModelTeam, args: Args) => Expected;

/** Arguments, then the session, then the credential, then whether it is closed, then the rules. */
export const verb =
  (invalid: (args: Args) => boolean, act: Verb, evenIfClosed = false) =>
  (session: ModelSession | undefined, team: ModelTeam | undefined, args: Args): Expected => {
    if (invalid(args)) return INVALID;
    if (!session) return refused(404, "session_not_found");
    if (!team || team.session !== session || team.left) return refused(401, "unauthorized");
    return session.closed && !evenIfClosed ? CLOSED : act(team, args);
  };

/** A refusal undoes what was freed on the way to it. */
export const wholeOrNot =
  (act: Verb): Verb =>
  (team, args) => {
    const { session } = team;
    const before = [session.work.tasks.map((task) => ({ ...task })), session.work.held, session.feed.length] as const;
    const expected = act(team, args);
    if (expected.status !== 200) [session.work.tasks, session.work.held, session.feed.length] = [...before];
    return expected;
  };

export const badPaths = (paths: unknown) => ((paths as string[] | undefined) ?? []).some((path) => path === "../x");

export type ModelVerbs = Record<string, ReturnType<typeof verb>>;
