import pg from "pg";
import { hashSecret } from "../api/http/caller.ts";
import { asRole } from "../api/postgres/database.ts";
import { type Lab, openLab, type Team } from "./lab.ts";
import { median } from "./report.ts";

/** What a post costs in SQL alone, against the floor: one insert of the same text, as durable. `node bench/sql-post.ts` */
const TEXT = "We keep the schema as it is and add the column in the next release. ".repeat(3);
const ROUND_MS = 1_500;
const ROUNDS = 3;
const MOST = 50_000;
const SETTINGS = { statement_timeout: "15s", lock_timeout: "5s", plan_cache_mode: "force_generic_plan" };

const POST = {
  name: "post",
  text: `select coalesce(answer::text, 'null') as answer, topics, held from parley_private.end_call(
    case when parley_private.begin_call($1, $2, $3) then to_json(parley.post_message(session_id => $4::text, content => $5::jsonb)) end)`,
};
const FLOOR = { name: "floor", text: "insert into bench_posts (text) values ($1) returning id, at" };

type Send = () => Promise<unknown>;

async function rate(sends: Send[], ms: number): Promise<number> {
  const start = performance.now();
  let done = 0;
  await Promise.all(
    sends.map(async (send) => {
      while (performance.now() - start < ms && done < MOST) {
        await send();
        done++;
      }
    }),
  );
  return (done * 1_000) / (performance.now() - start);
}

async function connect(url: string, clients: number): Promise<pg.Client[]> {
  return Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      return client;
    }),
  );
}

const postOf = (client: pg.Client, { session, teamId }: Team): Send => {
  const values = [hashSecret(teamId), "http://127.0.0.1", "", session, JSON.stringify({ text: TEXT })];
  return () => client.query({ ...POST, values });
};

async function compare(lab: Lab, clients: number, synchronous_commit: string) {
  const callers = await connect(
    asRole(lab.postgres.url("parley_server"), "parley_caller", { ...SETTINGS, synchronous_commit }),
    clients,
  );
  const plain = await connect(asRole(lab.postgres.url(), "postgres", { synchronous_commit }), clients);
  const teams = await Promise.all(callers.map(async () => (await lab.seat(1)).teams[0] as Team));
  const posts = callers.map((client, i) => postOf(client, teams[i] as Team));
  const floors = plain.map((client) => () => client.query({ ...FLOOR, values: [TEXT] }));
  const rates: [number, number][] = [];
  await rate([...posts, ...floors], ROUND_MS / 3);
  for (let round = 0; round < ROUNDS; round++) rates.push([await rate(posts, ROUND_MS), await rate(floors, ROUND_MS)]);
  await Promise.all([...callers, ...plain].map((client) => client.end()));
  const [post, floor] = [median(rates.map(([a]) => a)), median(rates.map(([, b]) => b))];
  return {
    clients,
    synchronous_commit,
    "posts/s": Math.round(post),
    "floor/s": Math.round(floor),
    "post/floor": Number((post / floor).toFixed(2)),
  };
}

const lab = await openLab();
try {
  await lab.superuser.query(
    "create table bench_posts (id bigint generated always as identity primary key, text text, at timestamptz default now())",
  );
  const rows: unknown[] = [];
  for (const clients of [1, 8])
    for (const synchronous_commit of ["on", "off"]) rows.push(await compare(lab, clients, synchronous_commit));
  console.table(rows);
} finally {
  await lab.close();
}
