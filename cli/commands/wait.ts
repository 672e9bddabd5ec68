import { command, WHO, WHO_HELP } from "../command.ts";
import { type Answer, call, persist } from "../connection/api.ts";
import { Away, mayPass, Refusal } from "../errors.ts";
import { onlyRef, toNumber } from "../input.ts";
import { showMessage } from "../messages.ts";
import { json, note, print } from "../output.ts";
import { advance, type Team } from "../team/teams.ts";
import { whichTeam } from "../team/which-team.ts";

const NEWS = 0;
const CONCLUDED = 3;
const IDLE = 4;
const POLL_SECONDS = 30;
const NOTE_AFTER_MS = 30_000;

interface Options {
  all: boolean;
  full: boolean;
  asJson: boolean;
  pollSeconds: number;
  /** Undefined: the server's own limit counts. */
  idleMs: number | undefined;
}

export const wait = command({
  help: `parley wait [ref]: block, in silence, until somebody says something; print it and end.

  --idle <minutes>    end after so long without news (0: never); default: when the server calls the session idle
  --timeout <s>       length of one poll, at most 30 (the default)
  --all               your own messages too
  --full              long texts whole
${WHO_HELP}

Exit codes: 0 there was news, 3 the session is concluded, 4 nothing came for too long: tell your human,
1 error, 2 wrong use. What was printed is confirmed by the next wait; restarts of the server are waited out.`,
  options: {
    ...WHO,
    idle: { type: "string" },
    timeout: { type: "string" },
    all: { type: "boolean" },
    full: { type: "boolean" },
  },
  async run(values, positionals) {
    const idle = toNumber(values.idle, "--idle", { min: 0 });
    return listen(whichTeam({ ref: onlyRef(positionals), ...values }), {
      all: values.all ?? false,
      full: values.full ?? false,
      asJson: values.json ?? false,
      pollSeconds: toNumber(values.timeout, "--timeout", { min: 1, max: POLL_SECONDS }) ?? POLL_SECONDS,
      idleMs: idle === undefined ? undefined : (idle || Number.POSITIVE_INFINITY) * 60_000,
    });
  },
});

async function listen(team: Team, options: Options): Promise<number> {
  const endsAt = Date.now() + (options.idleMs ?? Number.POSITIVE_INFINITY);
  let { cursor, doc_version: docVersion } = team;
  let told = false;
  for (;;) {
    const news = await poll(team, cursor, endsAt, options);
    if (news.messages.length > 0)
      await print(options.asJson ? json(news) : show(news.messages, team, news.doc_version, docVersion));
    told ||= news.messages.length > 0 || news.interrupt !== undefined;
    // Only now: what did not leave this process comes again.
    if (news.next_cursor > cursor || (told && news.doc_version > docVersion)) {
      await advance(team, news.next_cursor, told ? news.doc_version : docVersion);
    }
    cursor = news.next_cursor;
    if (told) docVersion = news.doc_version;
    if (news.has_more) continue;
    if (news.session_closed) {
      note(`${team.ref} is concluded. Its document has the conclusion: parley doc ${team.ref}`);
      return CONCLUDED;
    }
    if (told) return NEWS;
    if (options.idleMs === undefined ? news.session_idle : Date.now() >= endsAt) {
      note(
        `Nobody has spoken in ${team.ref} for a while. Tell your human; to go on: parley wait ${team.ref} --idle 60`,
      );
      return IDLE;
    }
  }
}

function poll(team: Team, cursor: number, endsAt: number, { pollSeconds, all, full }: Options): Promise<Answer> {
  let noted = false;
  const attempt = () => {
    const timeout = Math.min(pollSeconds, Math.max(1, Math.ceil((endsAt - Date.now()) / 1_000)));
    return call(team.url, `/sessions/${team.session_id}/messages/wait`, {
      method: "GET",
      teamId: team.team_id,
      args: { since_cursor: cursor, timeout, include_self: all || undefined, full: full || undefined },
      stream: true,
      withinMs: (timeout + 15) * 1_000,
    });
  };
  return persist(attempt, {
    forMs: Math.max(0, endsAt - Date.now()),
    again: (error) => mayPass(error) || (error instanceof Refusal && error.status === 429),
    onTrouble(error, sinceMs) {
      if (noted || sinceMs < NOTE_AFTER_MS) return;
      noted = true;
      note(`${error instanceof Away ? error.message : `${team.url}: ${error.message}`} Still trying.`);
    },
  });
}

function show(messages: Answer[], team: Team, docVersion: number, knownVersion: number): string {
  const lines = messages.map((message) => showMessage(message, team.handle));
  if (docVersion > knownVersion) lines.push(`[the document is at version ${docVersion}: parley doc]`);
  return lines.join("\n");
}
