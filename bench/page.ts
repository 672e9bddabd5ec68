import type { Browser } from "playwright-core";
import { withThrowawayParley } from "../e2e/throwaway.ts";
import { bytesTold, firstLoad, mainThreadMs, openSession, paintedAt, settled } from "./page-probes.ts";
import { median, quantile } from "./report.ts";

const LONG = 100_000;
const BUSY = 2_000;
const POSTS = 40;
const EDITS = 12;
const SESSIONS = 60;
const SEARCHES = 8;

interface Team {
  ref: string;
  session_id: string;
  team_id: string;
}

const row = (what: string, measured: string, goal: string) => console.log(`| ${what} | ${measured} | ${goal} |`);
const ms = (value: number) => value.toFixed(0);

/** Figures of the page: what a visit loads, what a message, an edit and a change of the list cost it, how soon they are seen. */
await withThrowawayParley(async (url, browser, sql) => {
  const post = async <T>(path: string, body: object, team?: Team): Promise<T> => {
    const headers = team ? { "x-team-id": team.team_id } : undefined;
    const answer = await fetch(`${url}/api${path}`, { method: "POST", body: JSON.stringify(body), headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const create = (title: string) =>
    post<Team>("/sessions", { title, description: "", creator_team_name: "Alex's Team" });
  const fill = async ({ session_id }: Team, messages: number) => {
    await sql.query(
      `insert into parley.messages (session_id, sequence, posted_by, type, content, posted_at)
       select $1, n, 1, 'chat', jsonb_build_object('text', 'message ' || n || ' about ' || md5(n::text)), now() - ($2 - n) * interval '1 second'
       from generate_series((select last_sequence + 1 from parley.sessions where id = $1), $2) n`,
      [session_id, messages],
    );
    await sql.query("update parley.sessions set last_sequence = $2 where id = $1", [session_id, messages]);
  };

  console.log("| page | measured | goal |\n|---|---|---|");
  row("script of a first visit, gzip", `${ms((await firstLoad(browser, url)) / 1_000)} kB`, "≤ 200 kB");

  const long = await create("A long one");
  await fill(long, LONG);
  const opened = performance.now();
  const reader = await openSession(browser, url, long.ref, LONG);
  row(
    `a session of ${LONG.toLocaleString("en")} messages, until the newest is read`,
    `${((performance.now() - opened) / 1_000).toFixed(2)} s`,
    "≤ 2 s",
  );
  // The worker would do so in its own time.
  await sql.query("select parley_private.index_words_of($1, $2)", [long.session_id, LONG]);
  await sql.query("vacuum analyze parley_private.message_words, parley.messages");
  const searched: number[] = [];
  for (let n = 1; n <= SEARCHES; n++) {
    const at = reader.evaluate(paintedAt, { text: `message ${n * 11_111} about`, after: "[aria-label=Feed] input" });
    await settled(reader);
    await reader.getByPlaceholder(/find/i).fill(`message ${n * 11_111}`);
    const { began, painted } = await at;
    searched.push(painted - began);
  }
  row(
    `a filter over ${LONG.toLocaleString("en")} messages, from the last key to its hits, p50 / p95`,
    `${ms(median(searched))} / ${ms(quantile(searched, 0.95))} ms`,
    "≤ 200 ms",
  );
  await reader.context().close();

  const busy = await create("A busy one");
  await fill(busy, BUSY);
  const pages = [await openSession(browser, url, busy.ref, BUSY)];
  let last = BUSY;
  for (const open of [1, 10]) {
    while (pages.length < open) pages.push(await openSession(browser, url, busy.ref, last));
    const delays: number[] = [];
    const begun = await Promise.all(pages.map(mainThreadMs));
    for (const until = last + POSTS; last < until; ) {
      const text = `message ${++last}, and a few words more`;
      const seen = pages.map((page) => page.evaluate(paintedAt, { text }));
      await post(`/sessions/${busy.ref}/messages`, { content: text }, busy);
      const answered = Date.now();
      for (const { painted } of await Promise.all(seen)) delays.push(Math.max(painted - answered, 0));
    }
    await Promise.all(pages.map(settled));
    const ended = await Promise.all(pages.map(mainThreadMs));
    const each = ended.map((at, n) => (at - (begun[n] as number)) / POSTS);
    const where = open === 1 ? "one page open" : `${open} pages open`;
    row(
      `main thread per message, ${BUSY.toLocaleString("en")} messages, ${where}`,
      `${median(each).toFixed(1)} ms`,
      "≤ 30 ms",
    );
    row(
      `from the answer of a post to the screen, ${where}, p50 / p95`,
      `${ms(median(delays))} / ${ms(quantile(delays, 0.95))} ms`,
      open === 1 ? "p95 ≤ 60 ms" : "",
    );
  }
  await Promise.all(pages.map((page) => page.context().close()));

  await edits(browser, url, busy, post);

  for (let n = 0; n < SESSIONS; n++) await create(`Session ${n}`);
  const told = await bytesTold(browser, url, POSTS, async (n) => {
    await post(`/sessions/${busy.ref}/messages`, { content: `a change of the list, ${n}` }, busy);
  });
  row(`what a change of a list of ${SESSIONS} sessions brings`, `${(told / 1_000).toFixed(2)} kB`, "≤ 2 kB");
});

/** A section of a document of 100 kB is written anew: what the page does for it, once it is shown. */
async function edits(
  browser: Browser,
  url: string,
  team: Team,
  post: (path: string, body: object, team: Team) => Promise<unknown>,
) {
  const part = (n: number) =>
    `## Part ${n}\n\n${"Some **words**, a [link](https://example.com) and `code`. ".repeat(42)}\n\n`;
  const text = Array.from({ length: 40 }, (_, n) => part(n)).join("");
  await post(`/sessions/${team.ref}/doc/append`, { text }, team);
  const page = await openSession(browser, url, `${team.ref}?tab=doc`);
  await page.getByRole("heading", { name: "Part 39" }).waitFor();
  const costs: number[] = [];
  for (let n = 0; n < EDITS; n++) {
    await settled(page);
    const before = await mainThreadMs(page);
    const words = `Quite other words, ${n}.`;
    const seen = page.evaluate(paintedAt, { text: words });
    await post(`/sessions/${team.ref}/doc/section`, { section: `Part ${n}`, text: words }, team);
    await seen;
    await settled(page);
    costs.push((await mainThreadMs(page)) - before);
  }
  await page.context().close();
  row(
    `main thread per edit of a document of ${ms(text.length / 1_000)} kB, p50 / p95`,
    `${ms(median(costs))} / ${ms(quantile(costs, 0.95))} ms`,
    "≤ 80 ms",
  );
}
