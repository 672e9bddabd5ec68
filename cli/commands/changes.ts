import { command, WHO, WHO_HELP } from "../command.ts";
import { type Answer, call } from "../connection/api.ts";
import { Trouble } from "../errors.ts";
import { branchOf, git, headOf, topOf } from "../git.ts";
import { onlyRef } from "../input.ts";
import { json, line, note, print } from "../output.ts";
import { whichTeam } from "../team/which-team.ts";

const MOST = 2_000;

export const changes = command({
  help: `parley changes [ref]: tell the others what you have changed on your branch, as git has it, and see where they are too.

  --base <branch>     what you branched off from; default: the remote's own branch, else main or master
${WHO_HELP}`,
  options: { ...WHO, base: { type: "string" } },
  async run(values, positionals) {
    const team = whichTeam({ ref: onlyRef(positionals), ...values });
    const top = topOf();
    if (!top) throw new Trouble("This is no git repository: there is nothing to compare with.");
    const changed = changedIn(top, values.base);
    // A path may hold what the server takes for the separator of another system.
    const paths = changed.filter((path) => !path.includes("\\") && path.length <= 500);
    if (paths.length < changed.length || paths.length > MOST)
      note(`Of ${changed.length} paths ${Math.min(paths.length, MOST)} are told.`);
    const args = { paths: paths.slice(0, MOST), branch: branchOf(top), head: headOf(top) };
    const answer = await call(team.url, `/sessions/${team.session_id}/changes`, { teamId: team.team_id, args });
    if (values.json) return print(json(answer));
    if (answer.overlaps.length > 0) await print(answer.overlaps.map(show).join("\n"));
    note(`[changed ${answer.changed}, overlaps ${answer.overlaps.length}, unread: ${answer.unread}]`);
  },
});

/** What differs from where the branch began, committed or not, and what git does not know yet. */
export function changedIn(top: string, base: string | undefined): string[] {
  const known = (ref: string) => git(["rev-parse", "--verify", "-q", `${ref}^{commit}`], top) !== undefined;
  if (base !== undefined && (base.startsWith("-") || !known(base))) throw new Trouble(`git knows no ${base} here.`);
  const remote = git(["rev-parse", "--abbrev-ref", "origin/HEAD"], top);
  const from = base ?? [remote, "origin/main", "origin/master", "main", "master"].find((ref) => ref && known(ref));
  const start = (from && git(["merge-base", from, "HEAD"], top)) ?? headOf(top);
  const tracked = start === undefined ? [] : listed(git(["diff", "--name-only", "-z", start], top));
  return [...new Set([...tracked, ...listed(git(["ls-files", "--others", "--exclude-standard", "-z"], top))])];
}

const listed = (output: string | undefined) => (output ?? "").split("\0").filter(Boolean);

function show({ path, handle, claimed, task, branch }: Answer): string {
  const why = claimed ? `has claimed ${line(claimed)}${task ? ` for task ${task}` : ""}` : "has changed it too";
  return `${line(path)}: ${handle} ${why}${branch ? ` on ${line(branch)}` : ""}`;
}
