import type pg from "pg";
import { client, type Team } from "../testing/server.ts";
import { playAgents } from "./agents-world.ts";

const TEAMS = ["Amber", "Blue", "Coral", "Dune Systems", "Ember & Sons"];
const MESSAGES = 300;
const SESSIONS = 56;

const LINES: [text: string, about?: object][] = [
  ["Reading `src/invoices/render.ts` now; 14 call sites, all of them plain.", { kind: "status" }],
  ["The old client retried on 502, the new one does not. That matters for `POST /charges`."],
  ["Halves are rounded away from zero, as before. See #12.", { kind: "decision" }],
  ["Who owns `roundCents` after the move?", { kind: "question", to: ["blue"] }],
  ["12 of 26 ported, tests green on `parley/billing/amber`.", { kind: "status" }],
  [
    "Found it:\n\n```ts\nexport const total = (lines: Line[]) =>\n  lines.reduce((sum, line) => sum + roundCents(line.net * line.quantity), 0);\n```\n\nIt rounded the sum, not its lines.",
  ],
  ["Staging has no seed data for refunds: I cannot go on without it.", { kind: "blocker" }],
  ["Thanks, that explains the three that differ. @blue please take `src/refunds/**` with you."],
  [
    "Replayed 12,477 invoices:\n\n| discount | equal | differ |\n|---|---:|---:|\n| none | 11,902 | 0 |\n| 33.3 % | 572 | 3 |",
  ],
  ["Task 4 waits for the schema; see `db/migrations/0042_tax.sql`."],
];

/** Sixty sessions as a busy week leaves them, one of them with five teams and three hundred messages. Answers with what to look at. */
export async function playBusyWorld(
  url: string,
  sql: pg.Client,
): Promise<{ busy: string; ugly: string; board: string; agents: string }> {
  const rest = client(url);
  const ok = async (path: string, body: object, team?: Team) => {
    const { status, body: answer } = await rest.post(path, body, team);
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer;
  };
  const create = (title: string, description: string, creator_team_name: string, more: object = {}): Promise<Team> =>
    ok("/sessions", { title, description, creator_team_name, ...more });
  const say = async (team: Team, content: string, about: object = {}): Promise<number> =>
    (await ok(`/sessions/${team.ref}/messages`, { content, ...about }, team)).cursor;

  const { board } = await ok("/boards", { name: "Billing", description: "Everything that touches money." });
  await playOthers();
  const busy = await playBusySession();
  const ugly = await playUglySession();
  return { busy, ugly, board, agents: await playAgents(url, sql) };

  async function playOthers() {
    for (let n = 1; n <= SESSIONS; n++) {
      const zone = ["Planning", "In progress", "Done"][n % 3];
      const team = await create(
        `${["Flaky checkout test", "Search that forgives typos", "Rate limits for partners", "Cold start of the importer"][n % 4]} ${n}`,
        "Find the cause, mend it, prove it on the real catalogue.",
        `Team ${TEAMS[n % 5]}`,
        n % 4 === 0 ? { board, zone } : {},
      );
      await say(team, "First measure: it fails one time in thirty, on CI only.", { kind: "status" });
      if (n % 9 === 0) await say(team, "May we change the public error text?", { kind: "question", to: ["humans"] });
      if (n % 3 === 0) {
        await ok(
          `/sessions/${team.ref}/conclude`,
          { summary_section: "A race between two timers, mended. Open: nothing." },
          team,
        );
      }
      await past(team.session_id, n * 1_500);
    }
  }

  async function playBusySession(): Promise<string> {
    const first = await create(
      "Move billing and tax to the new API",
      "Split the call sites between us, port them, and prove that invoices stay the same to the cent.",
      TEAMS[0] as string,
      { board, zone: "In progress" },
    );
    const teams = [first];
    for (const name of TEAMS.slice(1)) teams.push(await rest.join(first, name));
    const at = (n: number) => teams[n % teams.length] as Team;
    const in_ = `/sessions/${first.ref}`;
    await ok(
      `${in_}/tasks`,
      {
        tasks: [
          { title: "Count the call sites", priority: 5 },
          { title: "Port invoices", depends_on: ["+1"], paths: ["src/invoices/**"], priority: 3 },
          { title: "Port refunds", depends_on: ["+1"], paths: ["src/refunds/**"], priority: 3 },
          { title: "Tax lines in the schema", paths: ["db/migrations/"] },
          { title: "Replay last year's invoices", depends_on: ["+2", "+3"], body: "All of them, to the cent." },
          { title: "Retry on 502 in the new client", paths: ["src/client/retry.ts"] },
          { title: "Remove the old client", depends_on: ["+5", "+6"] },
          "Write the release note",
        ],
      },
      first,
    );
    await ok(`${in_}/tasks/claim`, { task: 1 }, first);
    await ok(`${in_}/tasks/1`, { status: "done", result: "41: 26 in invoices, 15 in refunds." }, first);
    for (const [n, task] of [2, 3, 4, 6].entries()) await ok(`${in_}/tasks/claim`, { task }, at(n));
    const blocked = { status: "blocked", result: "Staging has no seed data for refunds." };
    await ok(`${in_}/tasks/3`, blocked, at(1));
    for (let n = 0; n < MESSAGES; n++) {
      // Teams talk in stretches, not in turns.
      const [text, about = {}] = LINES[(n * 7) % LINES.length] as (typeof LINES)[number];
      const cursor = await say(at(Math.floor(n / 3) * 2), text, about);
      if ("kind" in about && about.kind === "question" && n % 4) {
        await say(at(1), "Mine, from today on.", { kind: "answer", reply_to: cursor });
      }
      if (n % 40 === 0) {
        const text = `## ${["Goals", "Decisions", "Call sites", "Replay", "Notes / Working"][(n / 40) % 5]}\n\n- point ${n}: agreed by all, see #${cursor}\n- [ ] check it once more\n`;
        await ok(`${in_}/doc/append`, { text }, at(n));
      }
    }
    const doing = ["porting invoices, 12 of 26", "waiting for seed data", "tax lines", "retry on 502", "reading along"];
    for (const [n, team] of teams.entries()) {
      const about = {
        agent: "claude",
        machine: `studio-${n + 1}`,
        repo: "billing",
        branch: `parley/billing/${team.handle}`,
      };
      await ok(`${in_}/team`, { doing: doing[n], about }, team);
    }
    await ok(`${in_}/spawn`, { title: "Seed data for refunds", description: "Make some, from last year." }, at(1));
    await ok(`${in_}/changes`, { paths: ["src/invoices/total.ts", "src/refunds/refund.ts"], branch: "main" }, at(3));
    await past(first.session_id, 40);
    await ok(
      `${in_}/ask`,
      {
        question: "Refunds of last year: port them as they are, or mend the rounding?",
        options: ["As they are", "Mend them", "Ask finance"],
        expires_in: "2h",
        default: "As they are",
      },
      at(2),
    );
    await say(at(1), "Staging needs a key that only a person can make. Who can?", { kind: "question", to: ["humans"] });
    await say(at(4), "Tax lines stand in `db/migrations/0042_tax.sql`, please look.", {
      kind: "question",
      to: ["amber", "blue"],
    });
    void rest.wait(at(4), { timeout: 30 }).catch(() => undefined);
    void rest.wait(at(0), { timeout: 30 }).catch(() => undefined);
    return first.ref;
  }

  async function playUglySession(): Promise<string> {
    const long = "Überlänge-ohne-jede-Trennstelle-".repeat(6).slice(0, 190);
    const team = await create(
      long,
      `${"z".repeat(600)} and <script>alert(1)</script> ${"words ".repeat(200)}`,
      "<b>Bold</b> & Söhne ﷽ 🏴‍☠️",
    );
    const other = await rest.join(team, "مرحبا بالعالم");
    const third = await rest.join(team, `${"W".repeat(79)}!`);
    await say(
      team,
      `${"x".repeat(3_000)}\n\n# not a heading of the page\n\n[a link](javascript:alert(1)) ![i](http://example.com/a.png)`,
    );
    await say(other, "שלום, זה משפט ארוך מימין לשמאל עם `code` באמצע.", { kind: "question", to: ["humans"] });
    await say(third, `\`\`\`\n${"const veryLongLine = ".repeat(30)}\n\`\`\``);
    await ok(
      `/sessions/${team.ref}/tasks`,
      { tasks: [{ title: "t".repeat(200), paths: [`${"deep/".repeat(30)}file.ts`] }] },
      team,
    );
    await ok(
      `/sessions/${team.ref}/doc/append`,
      { text: `# ${"H".repeat(300)}\n\n| ${"wide | ".repeat(30)}\n|${"---|".repeat(30)}\n` },
      team,
    );
    return team.ref;
  }

  /** What was just said lies back as if this many seconds had passed between two messages. */
  async function past(session: string, seconds: number) {
    await pretending("messages", () =>
      sql.query(
        `update parley.messages m set posted_at = now() - make_interval(secs => (s.last_sequence - m.sequence + 1) * $2)
         from parley.sessions s where s.id = m.session_id and s.id = $1`,
        [session, seconds],
      ),
    );
    await pretending("session_doc_history", () =>
      sql.query(
        `update parley.session_doc_history h set written_at = m.posted_at
         from parley.messages m where m.session_id = h.session_id and m.sequence = h.after_cursor and h.session_id = $1`,
        [session],
      ),
    );
    await sql.query(
      `update parley.sessions s
       set last_message_at = m.posted_at, updated_at = m.posted_at, created_at = now() - make_interval(secs => (last_sequence + 2) * $2)
       from parley.messages m where m.session_id = s.id and m.sequence = s.last_sequence and s.id = $1`,
      [session, seconds],
    );
    await sql.query(
      `update parley.participants p set joined_at = s.created_at,
         last_seen_at = least(p.last_seen_at, s.last_message_at + interval '1 minute'),
         known_status = case when s.last_message_at < now() - interval '10 minutes' then 'disconnected' else p.known_status end
       from parley.sessions s where s.id = p.session_id and s.id = $1`,
      [session],
    );
    await sql.query(
      `update parley.tasks t set created_at = s.created_at + interval '1 minute', updated_at = now() - t.task * interval '11 minutes'
       from parley.sessions s where s.id = t.session_id and s.id = $1`,
      [session],
    );
  }
  /** What is never changed: only a superuser of a database that is thrown away can pretend. */
  async function pretending(table: string, change: () => Promise<unknown>) {
    await sql.query(`alter table parley.${table} disable trigger _100_append_only`);
    await change();
    await sql.query(`alter table parley.${table} enable always trigger _100_append_only`);
  }
}
