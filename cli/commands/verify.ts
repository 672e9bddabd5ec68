import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command, WHO, WHO_HELP } from "../command.ts";
import { type Answer, call } from "../connection/api.ts";
import { Trouble, UsageError } from "../errors.ts";
import { git, topOf } from "../git.ts";
import { toNumber } from "../input.ts";
import { interruption } from "../interrupt.ts";
import { json, line, note, print } from "../output.ts";
import { whichTeam } from "../team/which-team.ts";
import { pathOf, refAndTask, taskOf } from "./tasks.ts";

const REFUTED = 5;
const TAIL = 800;

export const verify = command({
  help: `parley verify [ref] <n>: look whether task n, which another team calls done, is done, and tell it.

Its check is run in a clean worktree of the commit that it was done with. A task only names the check; what that runs stands
in the parley.json of this repository: {"checks": {"test": "npm ci && npm test"}}.

  --check <name>      another check than the one that the task names
  --commit <sha>      another commit than the one that it was done with
  --timeout <s>       give up after so long; 1800 unless you say
${WHO_HELP}

Exit codes: 0 verified, 5 refuted, 1 error (nothing is told), 2 wrong use.`,
  options: { ...WHO, check: { type: "string" }, commit: { type: "string" }, timeout: { type: "string" } },
  async run(values, positionals) {
    const { ref, task: number, rest } = refAndTask(positionals);
    if (number === undefined || rest.length > 0) throw new UsageError("Say which task, e.g. parley verify 3.");
    const seconds = toNumber(values.timeout, "--timeout", { min: 1 }) ?? 1_800;
    const team = whichTeam({ ref, ...values });
    const top = topOf();
    if (!top) throw new Trouble("This is no git repository: there is nothing to check.");
    const task = await taskOf(team, number);
    if (task.status !== "done") throw new Trouble(`Task ${number} is ${task.status}, not done.`);
    const name = values.check ?? task.check;
    if (!name) throw new UsageError(`Task ${number} names no check: say --check <name>.`);
    const run = commandOf(top, name);
    const commit = commitOf(top, values.commit ?? reported(task), number);
    note(`${line(name)} of task ${number} at ${commit.slice(0, 12)}: ${line(run)}`);
    const started = Date.now();
    const { passed, output } = await inCleanWorktree(top, commit, (folder) => runCheck(run, folder, seconds));
    const took = Math.round((Date.now() - started) / 1_000);
    const evidence = [{ kind: "check", name, passed, commit, seconds: took, output: output.slice(-TAIL) || undefined }];
    const answer = await call(team.url, pathOf(team, `/${number}/verify`), {
      teamId: team.team_id,
      args: { passed, evidence },
    });
    await print(
      values.json ? json(answer) : `task ${number}: ${answer.proof}, ${line(name)} at ${commit.slice(0, 12)}`,
    );
    return passed ? 0 : REFUTED;
  },
});

/** From the repository of whoever checks, never from the session. */
function commandOf(top: string, name: string): string {
  let checks: Record<string, unknown> | undefined;
  try {
    checks = JSON.parse(readFileSync(join(top, "parley.json"), "utf8")).checks;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      throw new Trouble(
        `Here is no parley.json, which says what ${line(name)} runs: {"checks": {"${line(name)}": "…"}}.`,
      );
    throw new Trouble(`${join(top, "parley.json")} cannot be read: ${(error as Error).message}`);
  }
  const run = Object.hasOwn(checks ?? {}, name) ? checks?.[name] : undefined;
  if (typeof run !== "string")
    throw new Trouble(`parley.json has no check ${line(name)}: {"checks": {"${line(name)}": "…"}}.`);
  return run;
}

const reported = ({ evidence }: Answer): unknown =>
  (evidence ?? []).find((item: Answer) => item.kind === "commit" && item.by === undefined)?.commit;

function commitOf(top: string, said: unknown, number: number): string {
  if (said === undefined) throw new UsageError(`Task ${number} names no commit: say --commit <sha>.`);
  if (typeof said !== "string" || !/^[0-9a-f]{7,64}$/i.test(said)) throw new Trouble("What it names is no commit.");
  const commit = git(["rev-parse", "--verify", "-q", `${said}^{commit}`], top);
  if (commit === undefined) throw new Trouble(`${said} is not in this repository: fetch it first.`);
  return commit;
}

/** Beside the working folder, so that nothing of it helps or hurts; without hooks. */
async function inCleanWorktree<T>(top: string, commit: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(mkdtempSync(join(tmpdir(), "parley-verify-")), "worktree");
  const plain = ["-c", "core.hooksPath=/dev/null"];
  try {
    if (git([...plain, "worktree", "add", "--detach", "--force", folder, commit], top) === undefined)
      throw new Trouble(`git could not make a worktree of ${commit}.`);
    return await work(folder);
  } finally {
    git(["worktree", "remove", "--force", folder], top);
    rmSync(join(folder, ".."), { recursive: true, force: true });
    git(["worktree", "prune"], top);
  }
}

/** Its output goes by on stderr; the end of it is told with the result. */
function runCheck(run: string, cwd: string, seconds: number): Promise<{ passed: boolean; output: string }> {
  const interrupted = interruption();
  return new Promise((resolve, reject) => {
    // A group of its own, so that what it started ends with it.
    const child = spawn(run, { cwd, shell: true, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const end = () => {
      try {
        process.kill(-(child.pid as number), "SIGKILL");
      } catch {
        // It is over already.
      }
    };
    const timer = setTimeout(() => {
      output += `\nnot over after ${seconds} s`;
      end();
    }, seconds * 1_000);
    interrupted.addEventListener("abort", end, { once: true });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        process.stderr.write(text);
        output = (output + text).slice(-4 * TAIL);
      });
    child.once("error", (error) => reject(new Trouble(`${line(run)} could not be started: ${error.message}`)));
    child.once("close", (code) => {
      clearTimeout(timer);
      end();
      if (interrupted.aborted) reject(new Trouble("Interrupted: nothing is told."));
      else resolve({ passed: code === 0, output });
    });
  });
}
