import { randomBytes } from "node:crypto";
import { isParley } from "../alive.ts";
import { call, persist } from "../connection/api.ts";
import { Refusal, Trouble, UsageError } from "../errors.ts";
import { aboutHere } from "../git.ts";
import { isPlain } from "./plain.ts";
import { keptRuns, type RunState, runFile, type Store } from "./state.ts";
import { makeWorktree } from "./worktree.ts";

interface Wanted {
  base: string;
  cwd: string;
  agent: string;
  /** Of a new run. */
  id: string;
  as?: string | undefined;
  join?: string | undefined;
  create?: string | undefined;
  resume?: string | undefined;
  prompt?: string | undefined;
  /** Of its own; empty: the name that we give it. */
  worktree?: string | undefined;
}

const PATIENCE_MS = 60_000;

/** The team that the agent speaks for: the one it was before this process was killed, or a new one. */
export async function seat(wanted: Wanted): Promise<{ state: RunState; store: Store }> {
  const { base, as: name } = wanted;
  const ways = [wanted.join, wanted.create, wanted.resume].filter((way) => way !== undefined);
  if (ways.length !== 1) throw new UsageError("Say where it sits: --join <ref>, --create <title> or --resume <ref>.");
  if (name === undefined) throw new UsageError('Say the name of its team, e.g. --as "Team Blue".');
  const kept = wanted.join === undefined ? undefined : await keptRun(base, wanted.join, name);
  if (kept) return { state: kept, store: runFile(base, kept.ref, name) };
  const answer = await enter(wanted, name);
  const { ref, session_id, team_id, handle, cursor } = answer;
  if (![ref, session_id, handle].every(isPlain))
    throw new Trouble(`${base} has named the session in a way that cannot be meant.`);
  const cwd =
    wanted.worktree === undefined
      ? wanted.cwd
      : await worktreeOr(() => leave(base, session_id, team_id), wanted, { ref, handle });
  const state: RunState = {
    id: wanted.id,
    url: base,
    ref,
    session_id,
    team_id,
    handle,
    team_name: name,
    agent: wanted.agent,
    cwd,
    told: cursor,
    heard: cursor,
    turns: 0,
    tokens: 0,
    cost: 0,
    pid: process.pid,
    ...(wanted.prompt !== undefined && { instructions: wanted.prompt }),
    ...(typeof answer.handoff?.conclusion === "string" && { handoff: answer.handoff.conclusion }),
    ...(wanted.worktree !== undefined && { worktree: true }),
  };
  const store = runFile(base, ref, name);
  store.write(state);
  return { state, store };
}

async function enter({ base, cwd, agent, join, create, resume }: Wanted, name: string) {
  const about = { ...aboutHere(cwd), agent };
  const where = encodeURIComponent(join ?? resume ?? "");
  const [path, args] =
    create === undefined
      ? [`/sessions/${where}/${join === undefined ? "resume" : "join"}`, { team_name: name }]
      : ["/sessions", { title: create, description: "", creator_team_name: name }];
  // An answer that is lost leads back to the same team.
  const key = { idempotency_key: randomBytes(24).toString("base64url") };
  return persist(() => call(base, path, { args: { ...args, ...key, about } }), { forMs: PATIENCE_MS });
}

async function worktreeOr(undo: () => Promise<unknown>, wanted: Wanted, names: { ref: string; handle: string }) {
  try {
    return makeWorktree(wanted.cwd, { ...names, ...(wanted.worktree && { branch: wanted.worktree }) });
  } catch (error) {
    await undo().catch(() => undefined);
    throw error;
  }
}

const leave = (base: string, session: string, teamId: string) => call(base, `/sessions/${session}/leave`, { teamId });

/** A run of this name that a killed process has left here, if its team still sits at the table. */
async function keptRun(base: string, ref: string, name: string): Promise<RunState | undefined> {
  const kept = keptRuns().find(
    (run) => run.url === base && run.team_name === name && (run.ref === ref || run.session_id.startsWith(ref)),
  );
  if (!kept) return undefined;
  if (kept.pid !== process.pid && isParley(kept.pid))
    throw new Trouble(
      `${kept.handle} in ${kept.ref} is run by process ${kept.pid} already. Take another name, or end that one.`,
    );
  try {
    const asked = () => call(base, "/whoami", { method: "GET", teamId: kept.team_id });
    const { status } = await persist(asked, { forMs: PATIENCE_MS });
    if (status === "active") return { ...kept, pid: process.pid };
  } catch (error) {
    if (!(error instanceof Refusal) || ![401, 404].includes(error.status)) throw error;
  }
  runFile(base, kept.ref, name).remove();
  return undefined;
}
