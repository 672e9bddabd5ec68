import { command, WHERE } from "../command.ts";
import { findAddress } from "../connection/address.ts";
import { type Answer, call } from "../connection/api.ts";
import { Refusal, UsageError } from "../errors.ts";
import { aboutHere } from "../git.ts";
import { onlyRef } from "../input.ts";
import { block, json, line, print } from "../output.ts";
import { self } from "../self.ts";
import { teamFolder } from "../team/team-folder.ts";
import { makeReady, readTeams, remember, type Team } from "../team/teams.ts";
import { isOf } from "../team/which-team.ts";

const OPTIONS = {
  ...WHERE,
  as: { type: "string" },
  json: { type: "boolean" },
  "show-secret": { type: "boolean" },
  force: { type: "boolean" },
} as const;
const OPTIONS_HELP = `  --as <name>         who you are, e.g. "Team Blue"
  --url <link>        the address; default: see parley doctor
  --json              the server's answer, without the secret
  --force             also if this repository is a team of another session; then commands without a ref mean the new one
  --show-secret       print the team_id too; it is kept in ~/.parley/teams.json, so this is rarely needed

PARLEY_HOME in the environment names another folder than ~/.parley.`;

export const join = command({
  help: `parley join <ref> --as "Team Blue": join a session.

  --replay            hear everything from the beginning, not only what comes from now on
${OPTIONS_HELP}`,
  options: { ...OPTIONS, replay: { type: "boolean" } },
  async run(values, positionals) {
    const ref = required(onlyRef(positionals), "the ref of the session", "calm-otter-17");
    const args = { team_name: teamName(values.as), replay_from: values.replay ? 0 : undefined };
    return enter("Joined", `/sessions/${encodeURIComponent(ref)}/join`, args, values, ref);
  },
});

export const create = command({
  help: `parley create "title" --as "Team Blue": open a session and join it.

  --description <text>  what the teams want to achieve
${OPTIONS_HELP}`,
  options: { ...OPTIONS, description: { type: "string" } },
  async run(values, positionals) {
    const title = required(onlyRef(positionals), "the title", '"Port billing"');
    const args = { title, description: values.description ?? "", creator_team_name: teamName(values.as) };
    return enter("Created", "/sessions", args, values);
  },
});

export const resume = command({
  help: `parley resume <ref> --as "Team Blue": go on where a concluded session ended, in a new one.

  --title <text>, --description <text>   default: as before
${OPTIONS_HELP}`,
  options: { ...OPTIONS, title: { type: "string" }, description: { type: "string" } },
  async run(values, positionals) {
    const ref = required(onlyRef(positionals), "the ref of the concluded session", "calm-otter-17");
    const { title, description } = values;
    const args = { team_name: teamName(values.as), title, description };
    return enter("Created", `/sessions/${encodeURIComponent(ref)}/resume`, args, values, ref);
  },
});

const teamName = (name: string | undefined) => required(name, "who you are", '--as "Team Blue"');

function required(value: string | undefined, what: string, example: string): string {
  if (value === undefined) throw new UsageError(`Say ${what}, e.g. ${example}.`);
  return value;
}

/** Nobody finds out later that "parley post" speaks in another session than it did this morning. */
async function refuseToDisplace(ref?: string): Promise<void> {
  const here = teamFolder();
  const kept = readTeams().findLast((team) => team.folder === here);
  if (!kept || (ref !== undefined && isOf(kept, ref)) || (await isOver(kept))) return;
  throw new UsageError(
    `${here} is ${kept.handle} in ${kept.ref} already. Go on with it, or end it (parley leave ${kept.ref}), or add --force to be a team of another session too.`,
  );
}

/** Concluded, removed, or left by other means. Who cannot be asked is taken to be there. */
async function isOver({ url, team_id }: Team): Promise<boolean> {
  const answer = call(url, "/whoami", { method: "GET", teamId: team_id, withinMs: 5_000 });
  return answer.then(
    ({ status }) => status === "closed",
    (error) => error instanceof Refusal && [401, 404].includes(error.status),
  );
}

interface Values {
  url?: string | undefined;
  json?: boolean | undefined;
  "show-secret"?: boolean | undefined;
  force?: boolean | undefined;
}

async function enter(
  did: string,
  path: string,
  args: Record<string, unknown>,
  values: Values,
  ref?: string,
): Promise<undefined> {
  const { base } = findAddress({ url: values.url });
  await makeReady();
  if (!values.force) await refuseToDisplace(ref);
  const answer = await call(base, path, { args: { ...args, about: aboutHere() } });
  const team: Team = {
    url: base,
    ref: answer.ref,
    session_id: answer.session_id,
    team_id: answer.team_id,
    handle: answer.handle,
    title: answer.title,
    cursor: answer.cursor,
    doc_version: answer.doc_version ?? 0,
    folder: teamFolder(),
    joined_at: new Date().toISOString(),
  };
  const alone = !readTeams().some((other) => other.session_id === team.session_id);
  await remember(team);
  const { team_id: teamId, ...open } = answer;
  if (values.json) return print(json(values["show-secret"] ? answer : open));
  const secret = values["show-secret"] ? [`team_id ${teamId}`] : [];
  await print([...describe(did, answer), ...secret, ...next(team, alone)].join("\n"));
}

function describe(did: string, answer: Answer): string[] {
  const others = (answer.participants ?? []).filter((team: Answer) => !team.you && !team.left_at);
  return [
    `${did} ${answer.ref} "${line(answer.title)}" as ${answer.handle}.`,
    answer.description && `What it is for: ${block(answer.description)}`,
    others.length > 0 && `Teams: ${others.map((team: Answer) => `${team.handle} (${team.status})`).join(", ")}`,
    answer.doc_version > 0 && `Document: version ${answer.doc_version} (parley doc)`,
    answer.unread > 0 && `Unread: ${answer.unread}`,
    answer.handoff && continued(answer.handoff),
    answer.url && `Page: ${answer.url}`,
  ].filter(Boolean);
}

const continued = ({ continues, open_questions, conclusion }: Answer) =>
  `Continues ${continues}; open questions there: ${open_questions}.${conclusion ? ` It ended with: ${block(conclusion)}` : ""}`;

function next({ ref, handle }: Team, alone: boolean): string[] {
  const whom = alone ? ref : `${ref} --team ${handle}`;
  return [
    "Next:",
    `  ${self()} post ${whom} "text"   say something`,
    `  ${self()} wait ${whom}          block until somebody speaks; again and again, until it ends with 3`,
  ];
}
