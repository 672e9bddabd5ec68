import { readFileSync } from "node:fs";
import { connected, type TestDatabase } from "../../../testing/postgres.ts";
import type { Catalogue, Verb } from "../../verbs/catalogue.ts";
import { readCatalogue } from "../../verbs/read-catalogue.ts";

/** The catalogue as a server reads it, so that a new verb is tested by itself. */
export const catalogueOf = (database: TestDatabase): Promise<Catalogue> =>
  connected(database.url("parley_caller"), async (client) =>
    readCatalogue((await client.query(readFileSync("api/verbs/catalogue.sql", "utf8"))).rows[0].catalogue),
  );

/** What arguments of a name may be, whichever verb takes them. */
const BY_NAME: Record<string, unknown> = {
  ...{
    title: "Title",
    description: "Text",
    creator_team_name: "New",
    team_name: "New",
    content: "Hello",
    text: "Hello",
  },
  ...{
    question: "Which?",
    summary_section: "Done.",
    reason: "Because",
    query: "hello",
    handle: "victim",
    name: "Name",
  },
  // Nobody: whoever may is told so.
  board: "board",
  person: "00000000-0000-4000-8000-000000000001",
  role: "member",
  ...{ expected_version: 0, through_cursor: 0, message_id: "1", message: "1", scopes: ["admin"] },
};
/** What a verb needs beside that to get past the check of its arguments. */
const BY_VERB: Record<string, Record<string, unknown>> = {
  update_session_access: { mode: "read_only" },
  update_session_metadata: { title: "Another" },
  answer_ask: { text: "Yes", message: "2" },
  withdraw_question: { message: "3" },
  add_tasks: { tasks: ["One"] },
  update_task: { task: 1, title: "Uno" },
  verify_task: { task: 1, passed: true },
  claim_paths: { paths: ["src/"] },
  report_changes: { paths: ["src/a.ts"] },
  update_team: { doing: "this" },
  create_board: { name: "Board" },
  get_board: { board: "board" },
  place_session: { board: "board" },
  replace_section: { section: "Goals", text: "more" },
  tick: { text: "box" },
  invite_person: { role: "member" },
  change_role: { role: "member" },
  offer_runner: { name: "studio", agents: ["claude"], runner_token: "token" },
  withdraw_runner: { name: "studio", runner_token: "token" },
  take_run: { runner: "studio", runner_token: "token" },
  spawn_agent: { agent: "claude", prompt: "Do it." },
  prompt_agent: { prompt: "Go on." },
  report_run: { agent: "claude" },
  ask_permission: { request: "r", tool: "Write" },
  answer_permission: { request: "r", option: "allow" },
  ring_team: { wait: 0 },
  wait_for_messages: { timeout: 0 },
  wait_for_reply: { timeout: 0 },
};

/** Arguments that a caller who may would succeed with. A verb of which they are not known has to be told here. */
export function sampleOf(verb: Verb, given: Record<string, unknown>): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const { name, optional } of verb.arguments) {
    const value = BY_VERB[verb.name]?.[name] ?? given[name] ?? (optional ? undefined : BY_NAME[name]);
    if (value !== undefined) args[name] = value;
    else if (!optional) throw new Error(`${verb.name} takes ${name}: say in samples.ts what that may be`);
  }
  return args;
}
