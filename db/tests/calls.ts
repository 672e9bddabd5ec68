import { createHash, randomUUID } from "node:crypto";
import pg from "pg";
import { hashSecret } from "../../api/http/caller.ts";
import { asRole } from "../../api/postgres/database.ts";
import { toApiError } from "../../api/verbs/errors.ts";

export interface Answer {
  status: number;
  code?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers as their readers do
  body: any;
}

export interface Team {
  session_id: string;
  ref: string;
  team_id: string;
  handle: string;
  cursor: number;
}

/** What else a caller may show. */
export type Shown = { key?: string; cookie?: string; invite?: string };

export type Calls = ReturnType<typeof connectCallers>;

/** As on the connections of the server. */
const PLANNED = { plan_cache_mode: "force_generic_plan", enable_seqscan: "off", jit: "off" };
const BLOCKING = ["wait_for_messages", "wait_for_reply", "sync", "claim_task"];
const isJson = (verb: string, argument: string) =>
  ["metadata", "outbox", "about", "tasks", "evidence"].includes(argument) ||
  (verb === "post_message" && argument === "content");

const SEAT = {
  name: "seat",
  // That the name depends on the number makes it a call for each.
  text: `select t.*, parley_private.announce($1, 'team_joined', jsonb_build_object('team', 'Team', 'handle', t.handle)) as cursor
    from generate_series(1, $2) n, parley_private.admit_team($1, 'Team' || left(n::text, 0)) t`,
};
const READ_FROM = {
  name: "read from",
  text: `update parley.participants p set cursor = r.cursor, started_from = r.cursor
    from unnest($2::integer[], $3::integer[]) r (id, cursor) where p.session_id = $1 and p.id = r.id`,
};

/** Calls the verbs as api/call.ts does, without a server: each call a transaction on a connection of its own. */
export function connectCallers(connectionString: string, connections = 1, role = "parley_caller") {
  const pool = new pg.Pool({ connectionString: asRole(connectionString, role, PLANNED), max: connections });
  const topics: string[] = [];
  // A database that is dropped hangs up on its idle connections.
  pool.on("error", () => {});

  // Not pool.query: with every refusal it throws a connection away.
  async function query(config: pg.QueryConfig) {
    const client = await pool.connect();
    try {
      return await client.query(config);
    } finally {
      client.release();
    }
  }

  async function call(verb: string, args: object, team?: Team | string, shown: Shown = {}): Promise<Answer> {
    const teamHash = hashSecret(typeof team === "string" ? team : team?.team_id);
    const given = Object.entries(args).filter(([, value]) => value !== undefined);
    const list = given.map(([name], i) => `"${name}" => $${i + 4}`).join(", ");
    const values = given.map(([name, value]) => (isJson(verb, name) ? JSON.stringify(value) : value));
    const [keyHash, cookieHash, inviteHash] = [shown.key, shown.cookie, shown.invite].map(hashSecret);
    const shows = [keyHash, cookieHash, "", "", "http://parley.test", inviteHash].join(" ");
    const answer = `case when parley_private.begin_call($1, $2, $3) then to_json(parley.${verb}(${list})) end`;
    const text = `select * from parley_private.end_call(${answer})`;
    const run = async (waitId: string) => {
      const { rows } = await query({
        name: createHash("sha256").update(text).digest("base64url"),
        text,
        values: [teamHash, shows, waitId, ...values],
      });
      if (rows[0].topics) topics.push(...rows[0].topics.split(","));
      return rows[0];
    };
    const waitId = BLOCKING.includes(verb) ? randomUUID() : "";
    try {
      const { answer, held } = await run(waitId);
      if (held === null) return { status: 200, body: answer };
      // Who has lost its lease asks again, if asking twice is the same as asking once.
      const late = (await giveUp(waitId)) ?? (verb === "sync" ? answer : (await run("")).answer);
      return { status: 200, body: late };
    } catch (error) {
      const { status, code, message, details } = toApiError(error);
      return {
        status,
        code,
        body: { message, details, ...(status >= 500 && { error: `${error} ${(error as pg.DatabaseError).where}` }) },
      };
    }
  }

  /** What the server does when the time of a wait is over. */
  async function giveUp(waitId: string) {
    // Nothing comes back while somebody else has locked the team.
    for (;;) {
      const { rows } = await pool.query("select answer from parley_private.answer_waits(array[$1::uuid], true)", [
        waitId,
      ]);
      if (rows.length > 0) return rows[0].answer;
    }
  }

  /** Teams as join_session leaves them, at a quarter of its cost: it also tells each what to know before it begins. */
  async function seat({ session_id, ref }: Team, teams: number): Promise<Team[]> {
    const client = await pool.connect();
    try {
      await client.query("begin; set local role parley_owner");
      const { rows } = await client.query<Team & { participant_id: number }>({ ...SEAT, values: [session_id, teams] });
      const [ids, cursors] = [rows.map((row) => row.participant_id), rows.map((row) => row.cursor)];
      await client.query({ ...READ_FROM, values: [session_id, ids, cursors] });
      await client.query("commit");
      return rows.map(({ team_id, handle, cursor }) => ({ session_id, ref, team_id, handle, cursor }));
    } finally {
      client.release();
    }
  }

  async function must(verb: string, args: object, team?: Team | string) {
    const { status, body } = await call(verb, args, team);
    if (status !== 200) throw new Error(`${verb}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  return {
    pool,
    query,
    /** What the server would announce after the commits. */
    topics,
    call,
    must,
    create: (creator_team_name = "Convener"): Promise<Team> =>
      must("create_session", { title: "A session", description: "", creator_team_name }),
    join: (session: Team, team_name = "Team"): Promise<Team> =>
      must("join_session", { session_id: session.session_id, team_name }),
    seat,
    end: () => pool.end(),
  };
}
