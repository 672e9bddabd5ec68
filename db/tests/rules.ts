import { NO_RULES } from "../../testing/no-rules.ts";
import { connected, type TestDatabase } from "../../testing/postgres.ts";
import type { Answer, Calls, Team } from "./calls.ts";

/** The rules of one database, all of them off until a test sets them. */
export function rulesOf(database: TestDatabase) {
  const sql = async (text: string, values: unknown[] = []) =>
    (await connected(database.url(), (client) => client.query(text, values))).rows;
  return {
    sql,
    set: (name: string, value: number | boolean) =>
      sql("update parley.settings set value = to_jsonb($2::text::json) where name = $1", [name, String(value)]),
    off: () =>
      sql("update parley.settings s set value = r.value from jsonb_each($1) r where r.key = s.name", [
        { ...NO_RULES, single_session: false, convener_only: false },
      ]),
    /** Time passes: what was posted is so much older. */
    age: async (team: Team, seconds: number) => {
      await sql("alter table parley.messages disable trigger _100_append_only");
      await sql("update parley.messages set posted_at = posted_at - $2 * interval '1 second' where session_id = $1", [
        team.session_id,
        seconds,
      ]);
      await sql("alter table parley.messages enable always trigger _100_append_only");
    },
    /** A team that the server says is a person. */
    makeHuman: (team: Team) =>
      sql("update parley.participants set kind = 'human' where session_id = $1 and handle = $2", [
        team.session_id,
        team.handle,
      ]),
    hops: async (team: Team): Promise<(number | null)[]> =>
      (
        await sql(
          "select hops from parley.messages where session_id = $1 and posted_by is not null order by sequence",
          [team.session_id],
        )
      ).map(({ hops }) => hops),
  };
}

export type Rules = ReturnType<typeof rulesOf>;

/** What teams do in a session, by its verbs. */
export function speakersOf(calls: Calls) {
  const say = (team: Team, args: object = {}): Promise<Answer> =>
    calls.call("post_message", { session_id: team.ref, content: "Hello", ...args }, team);
  return {
    say,
    /** Says something that must be allowed, and tells its cursor. */
    said: async (team: Team, args: object = {}): Promise<number> => {
      const { status, body } = await say(team, args);
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body.cursor;
    },
    hear: (team: Team) => calls.must("wait_for_messages", { session_id: team.ref, timeout: 0 }, team),
    note: (team: Team) => calls.must("append_to_session_doc", { session_id: team.ref, text: "Settled." }, team),
  };
}
