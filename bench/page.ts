import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { withThrowawayParley } from "../e2e/throwaway.ts";

const MESSAGES = 100_000;
const PAGES = [1, 10];
const POSTS = 40;

/** Figures of the page: what a first visit loads, how long a long session takes, how soon an event is seen. */
await withThrowawayParley(async (url, browser, sql) => {
  const post = async (path: string, body: object, teamId = "") => {
    const headers = teamId ? { "x-team-id": teamId } : undefined;
    return (await fetch(`${url}/api${path}`, { method: "POST", body: JSON.stringify(body), headers })).json();
  };
  const team = (await post("/sessions", { title: "T", description: "", creator_team_name: "A" })) as Record<
    string,
    string
  >;

  console.log("| page | measured | goal |\n|---|---|---|");
  const kilobytes = (await firstLoad(browser, url)) / 1_000;
  console.log(`| script of a first visit, gzip | ${kilobytes.toFixed(0)} kB | ≤ 200 kB |`);

  await sql.query(
    `insert into parley.messages (session_id, sequence, posted_by, type, content)
     select $1, n, 1, 'chat', jsonb_build_object('text', 'message ' || n) from generate_series(1, ${MESSAGES}) n`,
    [team.session_id],
  );
  await sql.query("update parley.sessions set last_sequence = $2 where id = $1", [team.session_id, MESSAGES]);
  const opened = performance.now();
  const first = await openSession(browser, url, team.ref as string, MESSAGES);
  const seconds = (performance.now() - opened) / 1_000;
  console.log(
    `| session of ${MESSAGES.toLocaleString("en")} messages, until the newest is read | ${seconds.toFixed(2)} s | ≤ 2 s |`,
  );

  const pages = [first];
  let last = MESSAGES;
  for (const open of PAGES) {
    while (pages.length < open) pages.push(await openSession(browser, url, team.ref as string, last));
    const delays: number[] = [];
    for (const until = last + POSTS; last < until; ) {
      last++;
      const seen = pages.map((page) => page.evaluate(watchFor, last));
      await post(`/sessions/${team.ref}/messages`, { content: `message ${last}` }, team.team_id);
      const committed = Date.now();
      for (const at of await Promise.all(seen)) delays.push(Math.max(at - committed, 0));
    }
    delays.sort((a, b) => a - b);
    const at = (share: number) => delays[Math.floor(delays.length * share)]?.toFixed(0);
    const goal = open === 10 ? "p95 ≤ 150 ms" : "";
    console.log(
      `| from the answer of a post to the DOM, ${open} open, p50 / p95 | ${at(0.5)} / ${at(0.95)} ms | ${goal} |`,
    );
  }
});

async function firstLoad(browser: Browser, url: string): Promise<number> {
  const page = await browser.newPage();
  const scripts: Promise<Buffer>[] = [];
  page.on("response", (response) => {
    if (response.request().resourceType() === "script") scripts.push(response.body());
  });
  await page.goto(url);
  await page.getByRole("heading").first().waitFor();
  const bytes = (await Promise.all(scripts)).reduce((sum, script) => sum + gzipSync(script).length, 0);
  await page.close();
  return bytes;
}

async function openSession(browser: Browser, url: string, ref: string, last: number): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`${url}/s/${ref}`);
  await page.locator(`[data-sequence="${last}"]`).waitFor();
  return page;
}

/** In the page: when the row was there. */
function watchFor(sequence: number): Promise<number> {
  return new Promise((resolve) => {
    const look = () => document.querySelector(`[data-sequence="${sequence}"]`) && resolve(Date.now());
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
    look();
  });
}
