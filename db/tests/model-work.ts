import {
  blank,
  CLOSED,
  type Expected,
  INVALID,
  isObject,
  type ModelSession,
  type ModelTeam,
  misfit,
  NOBODY,
  ok,
  refused,
  rosterFor,
  SOME,
  TITLE_MAX,
  tell,
  unreadBy,
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

interface Held {
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
const collide = (one: string, other: string) =>
  one === other || FILES.some((file) => STAND_FOR[one]?.test(file) && STAND_FOR[other]?.test(file));

const finished = ({ status }: ModelTask) => status === "done" || status === "dropped";
const blockers = ({ tasks }: ModelWork, { dependsOn }: ModelTask) =>
  dependsOn.filter((n) => tasks.some((other) => other.task === n && !finished(other)));
const statusOf = (work: ModelWork, task: ModelTask) =>
  task.status === "open" && blockers(work, task).length > 0 ? "blocked" : task.status;
const collisions = ({ held }: ModelWork, team: ModelTeam, paths: string[]) =>
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

const named = ({ task, title }: ModelTask) => ({ task, title });
const COUNTS = { open: null, blocked: null, claimed: null };

function details(work: ModelWork, task: ModelTask, reader?: ModelTeam) {
  return {
    task: task.task,
    title: task.title,
    body: task.body,
    status: statusOf(work, task),
    claimed_by: task.holder?.handle ?? null,
    claim_expires_at: task.holder !== undefined,
    priority: task.priority,
    depends_on: task.dependsOn,
    blocked_by: blockers(work, task),
    paths: task.paths,
    result: task.result,
    created_by: task.author.handle,
    created_at: SOME,
    updated_at: SOME,
    version: task.version,
    proof: task.proof,
    check: task.check,
    evidence: task.evidence,
    done_by: task.doer?.handle ?? null,
    verified: task.verified ? { by: task.verified.by.handle, at: SOME, commit: task.verified.commit } : null,
    carried_from: null,
    ...(reader && { ...COUNTS, unread: unreadBy(reader) }),
  };
}

const row = (work: ModelWork, task: ModelTask) => {
  const { title, status, claimed_by, priority, depends_on, blocked_by, proof, version } = details(work, task);
  return { task: task.task, title, status, claimed_by, priority, depends_on, blocked_by, proof, version };
};

const listed = (team: ModelTeam, tasks: unknown[]) =>
  ok({
    tasks,
    ...(workOf(team.session) ?? { open: 0, blocked: 0, claimed: 0, done: 0, dropped: 0 }),
    unread: unreadBy(team),
  });

const noTask = (team: ModelTeam) => {
  const { open = 0, blocked = 0, claimed = 0 } = workOf(team.session) ?? {};
  const nothing = Object.fromEntries(Object.keys(details(team.session.work, EMPTY)).map((key) => [key, null]));
  return ok({
    ...nothing,
    claim_expires_at: false,
    created_at: false,
    updated_at: false,
    open,
    blocked,
    claimed,
    unread: unreadBy(team),
  });
};

const EMPTY = { dependsOn: [], author: {} } as unknown as ModelTask;
const NOT_FOUND = refused(404, "task_not_found");
const TAKEN = refused(409, "already_claimed");
const CIRCLE = refused(400, "circular_dependency");

type Args = Record<string, unknown>;
type Verb = (team: ModelTeam, args: Args) => Expected;

/** Arguments, then the session, then the credential, then whether it is closed, then the rules. */
const verb =
  (invalid: (args: Args) => boolean, act: Verb, evenIfClosed = false) =>
  (session: ModelSession | undefined, team: ModelTeam | undefined, args: Args): Expected => {
    if (invalid(args)) return INVALID;
    if (!session) return refused(404, "session_not_found");
    if (!team || team.session !== session || team.left) return refused(401, "unauthorized");
    return session.closed && !evenIfClosed ? CLOSED : act(team, args);
  };

const badPaths = (paths: unknown) => ((paths as string[] | undefined) ?? []).some((path) => path === "../x");

interface Draft {
  title: string;
  body?: string;
  priority?: number;
  depends_on?: (number | string)[];
  paths?: string[];
  check?: string;
}
const drafts = (args: Args) =>
  (args.tasks as (string | Draft)[]).map((d) => (typeof d === "string" ? { title: d } : d)) as Draft[];
const badDraft = ({ title, paths, check }: Draft) =>
  misfit(title, TITLE_MAX) || badPaths(paths) || check === "rm -rf /";
const beyond = (list: Draft[]) =>
  list.some(({ depends_on = [] }) => depends_on.some((d) => typeof d === "string" && Number(d) > list.length));

const sorted = (numbers: number[]) => [...new Set(numbers)].sort((a, b) => a - b);
const waitsForItself = ({ tasks }: ModelWork, start: ModelTask) => {
  const seen = new Set<number>();
  const look = [...start.dependsOn];
  for (let n = look.pop(); n !== undefined; n = look.pop()) {
    if (n === start.task) return true;
    if (!seen.has(n)) look.push(...(tasks.find(({ task }) => task === n)?.dependsOn ?? []));
    seen.add(n);
  }
  return false;
};

function addTasks(team: ModelTeam, args: Args): Expected {
  const { session } = team;
  const { work } = session;
  const key = args.idempotency_key ? `${team.handle} ${args.idempotency_key}` : undefined;
  const before = key ? work.keys.get(key) : undefined;
  const asked = JSON.stringify(args.tasks);
  if (before && before.tasks !== asked) return refused(409, "idempotency_conflict");
  const rows = (numbers: number[]) =>
    work.tasks.filter(({ task }) => numbers.includes(task)).map((task) => row(work, task));
  if (before) return listed(team, rows(before.numbers));
  if (session.closed) return CLOSED;
  const first = work.tasks.length + 1;
  const list = drafts(args);
  const added = list.map(
    ({ title, body = "", priority = 0, depends_on = [], paths = [], check = null }, i): ModelTask => {
      const dependsOn = sorted(depends_on.map((d) => (typeof d === "string" ? first + Number(d) - 1 : d)));
      const rest = { holder: undefined, author: team, result: null, evidence: null, proof: null, version: 1 };
      return {
        task: first + i,
        title,
        body,
        status: "open",
        priority,
        dependsOn,
        paths: [...new Set(paths)],
        check,
        ...rest,
      };
    },
  );
  const after = { ...work, tasks: [...work.tasks, ...added] };
  if (added.some(({ dependsOn }) => dependsOn.some((n) => n > after.tasks.length))) return INVALID;
  if (added.some((task) => waitsForItself(after, task))) return CIRCLE;
  work.tasks = after.tasks;
  tell(session, team, { event: "tasks_added", by: team.name, handle: team.handle, tasks: added.map(named) });
  const numbers = added.map(({ task }) => task);
  if (key) work.keys.set(key, { tasks: asked, numbers });
  return listed(team, rows(numbers));
}

function claimTask(team: ModelTeam, args: Args): Expected {
  const { session } = team;
  const { work } = session;
  freeLapsed(session, team);
  const free = (task: ModelTask) => statusOf(work, task) === "open" && collisions(work, team, task.paths).length === 0;
  const task =
    args.task === undefined
      ? work.tasks.toSorted((a, b) => b.priority - a.priority || a.task - b.task).find(free)
      : work.tasks.find((known) => known.task === args.task);
  if (!task) return args.task === undefined ? noTask(team) : NOT_FOUND;
  if (task.holder === team) return ok(details(work, task, team));
  if (task.status === "claimed") return TAKEN;
  if (statusOf(work, task) !== "open") return refused(409, "not_open");
  if (!free(task)) return TAKEN;
  Object.assign(task, { status: "claimed", holder: team, version: task.version + 1 });
  work.held.push(...task.paths.map((path) => ({ team, path, task: task.task })));
  tell(session, team, { event: "task_claimed", ...named(task), by: team.name, handle: team.handle });
  return ok(details(work, task, team));
}

const mayMove = (team: ModelTeam, owner: ModelTeam | undefined) =>
  !owner || owner === team || team.session.teams[0] === team;

function updateTask(team: ModelTeam, args: Args): Expected {
  const { session } = team;
  const { work } = session;
  const status = args.status as ModelTask["status"] | undefined;
  // A refusal undoes what was freed on the way.
  const undo = [work.tasks.map((task) => ({ ...task })), work.held, session.feed.length] as const;
  const refuse = (refusal: Expected) => {
    [work.tasks, work.held, session.feed.length] = [...undo];
    return refusal;
  };
  freeLapsed(session, team);
  const task = work.tasks.find((known) => known.task === args.task);
  if (!task) return refuse(NOT_FOUND);
  if (args.expected_version !== undefined && args.expected_version !== task.version)
    return refuse(refused(409, "version_conflict"));
  const owner = task.holder ?? (task.status === "done" && (status ?? "done") === "done" ? task.doer : undefined);
  if ((status ?? args.result ?? args.paths) !== undefined && !mayMove(team, owner))
    return refuse(refused(403, "not_your_task"));

  const before = { ...task };
  const moved = status !== undefined && (status !== task.status || status === "done");
  const after = moved ? withStatus(before, status, team, args.evidence as object[] | undefined) : { ...before };
  Object.assign(after, {
    title: args.title ?? after.title,
    body: args.body ?? after.body,
    priority: args.priority ?? after.priority,
    result: args.result ?? after.result,
    dependsOn: args.depends_on ? sorted(args.depends_on as number[]) : after.dependsOn,
    paths: args.paths ? [...new Set(args.paths as string[])] : after.paths,
  });
  if (after.dependsOn.some((n) => !work.tasks.some((known) => known.task === n))) return refuse(INVALID);
  if (JSON.stringify(told(after)) === JSON.stringify(told(before))) return ok(details(work, task, team));
  Object.assign(task, after, { version: before.version + 1 });
  if (waitsForItself(work, task)) return refuse(CIRCLE);
  work.held = work.held.filter((held) => !(held.task === task.task && held.team === before.holder));
  if (task.holder) {
    if (collisions(work, task.holder, task.paths).length > 0) return refuse(TAKEN);
    work.held = [
      ...work.held,
      ...task.paths.map((path) => ({ team: task.holder as ModelTeam, path, task: task.task })),
    ];
  }
  if (before.status !== task.status) tellMove(team, before, task);
  return ok(details(work, task, team));
}

const told = (task: ModelTask) => ({
  ...task,
  holder: task.holder?.handle,
  doer: task.doer?.handle,
  author: task.author.handle,
  verified: task.verified && { ...task.verified, by: task.verified.by.handle },
});

function withStatus(
  task: ModelTask,
  status: ModelTask["status"],
  team: ModelTeam,
  evidence: object[] | undefined,
): ModelTask {
  const done = status === "done";
  const doer = done ? (task.holder ?? task.doer ?? team) : undefined;
  const [fact] = (evidence ?? []) as { commit?: string; branch?: string }[];
  return {
    ...task,
    status,
    holder: undefined,
    doer,
    evidence: (done && evidence) || null,
    proof: done ? "reported" : null,
    commit: done ? fact?.commit : undefined,
    branch: done ? (fact?.branch ?? doer?.about.branch) : undefined,
    verified: undefined,
  };
}

function tellMove(mover: ModelTeam, before: ModelTask, after: ModelTask): void {
  const reasons = { claimed: before.holder === mover ? "given back" : "taken back", blocked: "unblocked" };
  const reason =
    after.status === "blocked"
      ? after.result
      : after.status === "open"
        ? (reasons[before.status as "claimed"] ?? "opened again")
        : null;
  tell(mover.session, mover, {
    event: after.status === "open" ? "task_freed" : `task_${after.status}`,
    ...named(after),
    by: mover.name,
    handle: mover.handle,
    ...(before.holder && before.holder !== mover && { from: before.holder.handle }),
    ...(after.status === "done" && { result: after.result }),
    ...(reason !== null && { reason }),
  });
}

function verifyTask(team: ModelTeam, args: Args): Expected {
  const { session } = team;
  const task = session.work.tasks.find((known) => known.task === args.task);
  if (!task) return NOT_FOUND;
  if (task.status !== "done") return INVALID;
  if (task.doer === team) return refused(403, "own_work");
  const evidence = (args.evidence ?? []) as { commit?: string }[];
  const known = [...(task.evidence ?? []), ...evidence.map((item) => ({ ...item, by: team.handle }))];
  Object.assign(task, {
    proof: args.passed ? "verified" : "refuted",
    verified: { by: team, commit: evidence[0]?.commit ?? task.commit ?? null },
    evidence: known.length > 0 ? known : null,
    version: task.version + 1,
  });
  tell(session, team, {
    event: "task_verified",
    ...named(task),
    by: team.name,
    handle: team.handle,
    passed: args.passed,
  });
  return ok(details(session.work, task, team));
}

function claimPaths(team: ModelTeam, args: Args): Expected {
  const { session } = team;
  const { work } = session;
  const undo = [work.tasks.map((task) => ({ ...task })), work.held, session.feed.length] as const;
  freeLapsed(session, team);
  const paths = [...new Set(args.paths as string[])];
  if (collisions(work, team, paths).length > 0) {
    [work.tasks, work.held, session.feed.length] = [...undo];
    return TAKEN;
  }
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

const unknownStatus = (status: unknown, known: string[]) => status !== undefined && !known.includes(status as string);
const badEvidence = (evidence: unknown) =>
  ((evidence as { kind: string }[] | undefined) ?? []).some(({ kind }) => kind === "rumour");

export const work: Record<string, ReturnType<typeof verb>> = {
  update_team: verb(
    ({ about, doing }) =>
      (about === undefined && doing === undefined) ||
      !isObject(about ?? {}) ||
      Object.keys((about as object) ?? {}).includes("colour"),
    (team, { about, doing }) => {
      const said = Object.entries({ ...team.about, ...(about as object) }).filter(([, value]) => value !== "");
      team.about = Object.fromEntries(said) as Record<string, string>;
      if (doing !== undefined) team.doing = (doing as string).trim() || null;
      return ok({ ...rosterFor(team)[team.session.teams.indexOf(team)], unread: unreadBy(team) });
    },
  ),
  add_tasks: verb(
    (args) => drafts(args).length === 0 || drafts(args).some(badDraft) || beyond(drafts(args)),
    addTasks,
    true,
  ),
  list_tasks: verb(
    ({ status }) => unknownStatus(status, ["open", "claimed", "blocked", "done", "dropped"]),
    (team, { status, mine, task: number }) => {
      const { work } = team.session;
      const one = work.tasks.find(({ task }) => task === number);
      if (number !== undefined) return one ? listed(team, [details(work, one)]) : NOT_FOUND;
      const picked = work.tasks.filter((task) => !mine || task.holder === team).map((task) => row(work, task));
      return listed(
        team,
        picked.filter((shown) => status === undefined || shown.status === status),
      );
    },
    true,
  ),
  claim_task: verb(({ wait }) => ((wait as number | undefined) ?? 0) < 0, claimTask),
  update_task: verb(
    ({ status, title, result, paths, evidence }) =>
      unknownStatus(status, ["open", "blocked", "done", "dropped"]) ||
      (title !== undefined && misfit(title as string, TITLE_MAX)) ||
      (result !== undefined && blank(result as string)) ||
      (status === "done" && result === undefined) ||
      (evidence !== undefined && (status !== "done" || badEvidence(evidence))) ||
      badPaths(paths),
    updateTask,
  ),
  verify_task: verb(({ evidence }) => badEvidence(evidence), verifyTask),
  claim_paths: verb(({ paths }) => (paths as string[]).length === 0 || badPaths(paths), claimPaths),
  release_paths: verb(({ paths }) => badPaths(paths), releasePaths),
  list_paths: verb(() => false, listPaths, true),
  report_changes: verb(({ paths }) => badPaths(paths), reportChanges),
};
