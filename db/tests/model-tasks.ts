import {
  type Args,
  badPaths,
  blockers,
  collisions,
  freeLapsed,
  type ModelTask,
  type ModelVerbs,
  type ModelWork,
  named,
  statusOf,
  TAKEN,
  verb,
  wholeOrNot,
  workOf,
} from "./model-work.ts";
import {
  blank,
  CLOSED,
  type Expected,
  INVALID,
  isObject,
  type ModelTeam,
  misfit,
  ok,
  refused,
  rosterFor,
  SOME,
  TITLE_MAX,
  tell,
  unreadBy,
} from "./model-world.ts";

/** What the verbs of tasks answer. */
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
    next_after: null,
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
const CIRCLE = refused(400, "circular_dependency");

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
  freeLapsed(session, team);
  const task = work.tasks.find((known) => known.task === args.task);
  if (!task) return NOT_FOUND;
  if (args.expected_version !== undefined && args.expected_version !== task.version)
    return refused(409, "version_conflict");
  const owner = task.holder ?? (task.status === "done" && (status ?? "done") === "done" ? task.doer : undefined);
  if ((status ?? args.result ?? args.paths) !== undefined && !mayMove(team, owner))
    return refused(403, "not_your_task");

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
  if (after.dependsOn.some((n) => !work.tasks.some((known) => known.task === n))) return INVALID;
  if (JSON.stringify(told(after)) === JSON.stringify(told(before))) return ok(details(work, task, team));
  Object.assign(task, after, { version: before.version + 1 });
  if (waitsForItself(work, task)) return CIRCLE;
  work.held = work.held.filter((held) => !(held.task === task.task && held.team === before.holder));
  if (task.holder) {
    if (collisions(work, task.holder, task.paths).length > 0) return TAKEN;
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

const unknownStatus = (status: unknown, known: string[]) => status !== undefined && !known.includes(status as string);
const badEvidence = (evidence: unknown) =>
  ((evidence as { kind: string }[] | undefined) ?? []).some(({ kind }) => kind === "rumour");

export const taskVerbs: ModelVerbs = {
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
  claim_task: verb(({ wait }) => ((wait as number | undefined) ?? 0) < 0, wholeOrNot(claimTask)),
  update_task: verb(
    ({ status, title, result, paths, evidence }) =>
      unknownStatus(status, ["open", "blocked", "done", "dropped"]) ||
      (title !== undefined && misfit(title as string, TITLE_MAX)) ||
      (result !== undefined && blank(result as string)) ||
      (status === "done" && result === undefined) ||
      (evidence !== undefined && (status !== "done" || badEvidence(evidence))) ||
      badPaths(paths),
    wholeOrNot(updateTask),
  ),
  verify_task: verb(({ evidence }) => badEvidence(evidence), verifyTask),
};
