import { createHash, randomBytes } from "node:crypto";
import { Connection, post } from "./client.ts";
import { fillMessages, fillSessions } from "./fill.ts";
import { SESSIONS_QUERY } from "./growth.ts";
import type { Lab } from "./lab.ts";
import { median, type Report } from "./report.ts";

const SESSIONS = 2_000;
const HIDDEN = 200;
const MESSAGES = 10_000;
const ROUNDS = 200;
const GOAL = 1.2;

/** What the page's list and feed cost where keys are asked for, for a person, against open access, where nobody is asked. */
export async function doors(lab: Lab, report: Report) {
  await fillSessions(lab, SESSIONS);
  const { session } = await fillMessages(lab, MESSAGES);
  const cookie = await signIn(lab);
  const list = { query: SESSIONS_QUERY, variables: { limit: 50 } };
  const feed = { query: FEED_QUERY, variables: { id: session, from: MESSAGES - 99, to: MESSAGES } };
  const servers = [await lab.startParley(), await lab.start("./parley.ts", [], { PARLEY_ACCESS: "keys" })];
  const asPerson = (request: string) =>
    request.replace("x-team-id: \r\n", `cookie: ${cookie}\r\norigin: http://127.0.0.1\r\n`);
  const callers = await Promise.all(
    servers.map(async ({ port }, n) => ({
      connection: await Connection.open(port),
      ask: (body: object) => (n === 0 ? post("/graphql", body) : asPerson(post("/graphql", body))),
    })),
  );

  const rows: (string | number)[][] = [];
  const measure = async (what: string, body: object) => {
    const ms: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      // In turns, and each first in every other round: what disturbs one disturbs the other.
      for (const n of round % 2 ? [0, 1] : [1, 0]) {
        const { connection, ask } = callers[n] as (typeof callers)[number];
        const start = performance.now();
        const answer = await connection.send(ask(body));
        ms[n]?.push(performance.now() - start);
        if (answer.body.includes('"errors"') || answer.body.length < 5_000) throw new Error(answer.body.slice(0, 500));
      }
    }
    const [open, keys] = ms.map((times) => median(times.slice(20))) as [number, number];
    rows.push([what, open, keys, keys / open]);
    report.goal(`${what}, keys and a person against open access`, keys / open, " ×", "≤", GOAL);
  };

  await lab.superuser.query("vacuum analyze");
  await measure("the list of 2,000 sessions", list);
  await measure("a page of the feed", feed);
  await lab.superuser.query(
    "update parley.sessions set visibility = 'members' where id in (select id from parley.sessions where ref ~ '^one-of-' order by ref limit $1)",
    [HIDDEN],
  );
  await lab.superuser.query("vacuum analyze");
  await measure(`the list, ${HIDDEN} of them for members`, list);
  await measure("a page of the feed, with those", feed);
  for (const { connection } of callers) connection.close();
  for (const server of servers) await server.stop();
  report.table(
    "Doors: the page with open access, and with keys for a person",
    ["read", "open ms", "keys ms", "×"],
    rows,
  );
}

async function signIn({ superuser }: Lab): Promise<string> {
  const cookie = randomBytes(32).toString("base64url");
  await superuser.query(
    `with person as (insert into parley_private.users (name, role) values ('Ada', 'member') returning id)
     insert into parley_private.sign_ins (hash, user_id, by, expires_at) select $1, id, 'link', 'infinity' from person`,
    [createHash("sha256").update(cookie).digest()],
  );
  return `parley=${cookie}`;
}

/** What the page asks for: web/src/session/queries.ts. */
const FEED_QUERY = `query ($id: UUID!, $from: Int!, $to: Int!) {
  session(id: $id) {
    feed(fromCursor: $from, toCursor: $to, first: 100) {
      nodes {
        sequence type content postedAt kind replyTo addressedTo expectsReply
        postedBy { handle teamName kind guest }
      }
    }
  }
}`;
