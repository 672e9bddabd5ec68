import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Answer, call, persist } from "../connection/api.ts";
import { mayPass, Refusal, Trouble } from "../errors.ts";
import { isPlain } from "./plain.ts";
import type { RunOptions } from "./run/options.ts";
import type { RunnerConfig } from "./runner-config.ts";
import type { Screen } from "./screen.ts";
import { keptRuns, type RunState, runFile } from "./state.ts";
import { work } from "./work.ts";
import { makeWorktree } from "./worktree.ts";

const WAIT_SECONDS = 20;
const PATIENCE_MS = 24 * 3_600_000;
const LONGEST_PAUSE_MS = 3_000;

export type RunSettings = Pick<
  RunOptions,
  "wake" | "voice" | "permissions" | "limits" | "idleMs" | "patienceMs" | "dozeMs" | "park"
>;

interface RunnerOptions {
  base: string;
  config: RunnerConfig;
  /** Of this runner alone: the name is bound to it. */
  token: string;
  settings: RunSettings;
  signal: AbortSignal;
  screen: (state: RunState) => Screen;
  say: (text: string) => void;
}

/** A machine that runs agents for others: takes what it is asked to run, within its own configuration, until it is told to end. */
export class Runner {
  #o: RunnerOptions;
  #runs = new Set<Promise<void>>();
  #shutOut = new AbortController();
  /** Told to end, or let in no more. */
  #over: AbortSignal;

  constructor(options: RunnerOptions) {
    this.#o = options;
    this.#over = AbortSignal.any([options.signal, this.#shutOut.signal]);
  }

  get running(): number {
    return this.#runs.size;
  }

  async go(): Promise<void> {
    const { config, say } = this.#o;
    await this.#offer();
    say(`${config.name} offers ${Object.keys(config.agents).join(", ")}, ${config.max} at a time.`);
    for (const state of this.#leftBehind()) this.#begin(state);
    while (!this.#over.aborted) {
      const taken = await this.#take();
      if (taken?.run) this.#seat(taken);
    }
    // At once: nobody asks it for an agent while those that it has end.
    const withdrawn = this.#call("withdraw", { name: config.name }).catch(() => undefined);
    await Promise.all([withdrawn, ...this.#runs]);
    if (this.#shutOut.signal.aborted) throw this.#shutOut.signal.reason;
  }

  async #offer() {
    const { config } = this.#o;
    const { name, max: max_runs, accept } = config;
    const args = { name, agents: Object.keys(config.agents), repos: Object.keys(config.repos), max_runs, accept };
    await this.#call("offer", args);
  }

  async #take(): Promise<Answer | undefined> {
    const { config } = this.#o;
    try {
      return await this.#call("take", { runner: config.name, wait: WAIT_SECONDS }, this.#over);
    } catch (error) {
      if (this.#over.aborted) return undefined;
      // The offer has ended while the server was away.
      if (!(error instanceof Refusal) || ![401, 403, 404, 409].includes(error.status)) throw error;
      await this.#offer().catch((no) => this.#endWith(no));
      return undefined;
    }
  }

  /** A key that was revoked, or a name that another machine has taken: its agents end with the reason. */
  #endWith(error: unknown) {
    if (!(error instanceof Refusal)) throw error;
    const { name } = this.#o.config;
    this.#shutOut.abort(new Trouble(`${name} is a runner no longer, so its agents end: ${error.message}`));
  }

  #call(verb: "offer" | "take" | "withdraw", args: Record<string, unknown>, signal?: AbortSignal): Promise<Answer> {
    const { base, token } = this.#o;
    const wait = Number(args.wait ?? 0);
    const request = { args: { ...args, runner_token: token }, stream: wait > 0, signal, withinMs: (wait + 15) * 1_000 };
    return persist(() => call(base, `/runners/${verb}`, request), {
      forMs: () => (this.#over.aborted ? 0 : PATIENCE_MS),
      longestPauseMs: LONGEST_PAUSE_MS,
      // Whoever is told to come later comes later: its agents work on.
      again: (error) => mayPass(error) || (verb === "take" && error instanceof Refusal && error.status === 429),
    });
  }

  /** What came over the wire names things of the configuration; what it does not hold is refused. */
  #seat(taken: Answer) {
    const { base, config } = this.#o;
    if (!canBeMeant(taken))
      return this.#o.say("The server has named a run in a way that cannot be meant; it was passed over.");
    const state: RunState = {
      id: `run-${taken.session_id}-${taken.run}`,
      url: base,
      ref: taken.ref,
      session_id: taken.session_id,
      team_id: taken.team_id,
      handle: taken.handle,
      team_name: taken.handle,
      agent: taken.agent,
      cwd: "",
      pid: process.pid,
      runner: config.name,
      told: taken.cursor,
      heard: taken.cursor,
      turns: 0,
      tokens: 0,
      cost: 0,
      instructions: taken.prompt,
      ...(taken.key && { key: taken.key }),
      ...(taken.worktree && { worktree: true }),
    };
    try {
      this.#commandOf(state);
      state.cwd = folderFor(config, taken);
      runFile(base, state.ref, state.team_name).write(state);
      this.#begin(state);
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      this.#o.say(`${state.handle} in ${state.ref} was not begun: ${error.message}`);
      const args = { status: "failed", error: error.message };
      const refusal = call(base, `/sessions/${state.session_id}/run`, { teamId: state.team_id, args });
      void refusal.catch(() => undefined);
    }
  }

  #commandOf({ agent }: RunState) {
    const { agents, name } = this.#o.config;
    const command = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
    if (!command) throw new Trouble(`${name} has no agent ${JSON.stringify(agent)}.`);
    return command;
  }

  #begin(state: RunState) {
    const { base, settings, screen, say } = this.#o;
    const running: Promise<void> = work({
      ...settings,
      command: this.#commandOf(state),
      state,
      store: runFile(base, state.ref, state.team_name),
      screen: screen(state),
      signal: this.#over,
      tasks: false,
    })
      .then(
        ({ how, why }) => say(`${state.handle} in ${state.ref}: ${how}. ${why}`),
        (error) => say(`${state.handle} in ${state.ref} broke: ${(error as Error).stack}`),
      )
      .finally(() => this.#runs.delete(running));
    this.#runs.add(running);
  }

  /** Runs of this runner that a killed process has left here; those that the server has given up end by themselves. */
  #leftBehind(): RunState[] {
    const { base, config } = this.#o;
    return keptRuns()
      .filter((run) => run.url === base && run.runner === config.name && Object.hasOwn(config.agents, run.agent))
      .map((run) => ({ ...run, pid: process.pid }));
  }
}

function folderFor({ repos }: RunnerConfig, { repo, worktree, ref, handle }: Answer): string {
  if (repo === undefined || repo === null) {
    if (worktree) throw new Trouble("No repository was named to make a worktree of.");
    return workFolder(ref, handle);
  }
  const top = Object.hasOwn(repos, repo) ? repos[repo] : undefined;
  if (!top) throw new Trouble(`There is no repository ${JSON.stringify(repo)} here.`);
  return worktree ? makeWorktree(top, { ref, handle }) : top;
}

// What stands in a header, of a request and of the agent's configuration.
const SECRET = /^[\w-]{1,200}$/;

/** Whether everything that could become a part of a path or an address is a plain word, and the rest what it should be. */
const canBeMeant = ({ session_id, ref, handle, agent, repo, team_id, key, prompt, cursor }: Answer) =>
  [session_id, ref, handle, agent, repo ?? "none"].every(isPlain) &&
  [team_id, key ?? "none"].every((word) => typeof word === "string" && SECRET.test(word)) &&
  typeof (prompt ?? "") === "string" &&
  Number.isSafeInteger(cursor);

/** A folder of its own, for a run that needs no repository. */
function workFolder(ref: string, handle: string): string {
  const folder = join(process.env.PARLEY_HOME || join(homedir(), ".parley"), "work", `${ref}-${handle}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}
