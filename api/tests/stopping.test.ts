import { rmSync } from "node:fs";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { metric, postmasterOf, startOwnPostgres } from "../../testing/faults.ts";
import { type ParleyProcess, startParley } from "../../testing/process.ts";
import { makeDataFolder } from "../../testing/scratch.ts";
import { until } from "../../testing/server.ts";
import { fillTemplate } from "../../testing/setup.ts";
import { startEmbeddedPostgres } from "../postgres/embedded/index.ts";
import { childrenOf, isAlive } from "../postgres/embedded/processes.ts";

// RELIABILITY: on SIGTERM it exits within 10 s, whatever the database does.
const CONTRACT_MS = 10_000;

let dataDir: string;
beforeAll(async () => {
  dataDir = makeDataFolder("stopping");
  const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: "silent" }) });
  await fillTemplate(postgres.url()).finally(() => postgres.stop());
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const processesOf = (postmaster: number) => [postmaster, ...childrenOf(postmaster)];
const send = (pids: number[], signal: NodeJS.Signals) => {
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, signal);
};

/** Calls of every kind that hang when the database falls silent. */
async function keepBusy(parley: ParleyProcess) {
  const alex = await parley.create();
  await parley.say(alex, "acknowledged");
  const wait = parley.wait(alex, { since_cursor: 1 }).catch(() => undefined);
  await until(async () => (await metric(parley.url, "parley_waiting_calls")) === 1, "the wait to be held");
  const hang = () =>
    Promise.allSettled([
      wait,
      ...Array.from({ length: 12 }, (_, i) => parley.post(`/sessions/${alex.ref}/messages`, { content: `${i}` }, alex)),
      ...Array.from({ length: 12 }, () => parley.get(`/sessions/${alex.ref}`, alex)),
      fetch(`${parley.url}/graphql`, {
        method: "POST",
        body: JSON.stringify({ query: "{ sessions { nodes { ref } } }" }),
      }),
      fetch(`${parley.url}/readyz`),
    ]);
  return { alex, hang };
}

async function stopsInTime(parley: ParleyProcess) {
  const asked = Date.now();
  await parley.kill("SIGTERM");
  expect(Date.now() - asked).toBeLessThanOrEqual(CONTRACT_MS);
}

test.each([
  ["the whole database", (postmaster: number) => processesOf(postmaster)],
  ["all but its postmaster", (postmaster: number) => childrenOf(postmaster)],
])(
  "it stops in time while %s is frozen, leaves no process behind, and starts again with all it had",
  async (_what, chosen) => {
    const parley = await startParley({ PARLEY_DATA: dataDir });
    const { alex, hang } = await keepBusy(parley);
    const postmaster = postmasterOf(dataDir) as number;
    const all = processesOf(postmaster);
    onTestFinished(() => send(all, "SIGCONT"));
    send(chosen(postmaster), "SIGSTOP");
    const hanging = hang();
    await stopsInTime(parley);
    await hanging;
    await until(() => !all.some(isAlive), "every process of the database to be gone");

    const again = await startParley({ PARLEY_DATA: dataDir });
    const { body } = await again.get(`/sessions/${alex.ref}/messages`, alex);
    expect(body.messages[0].content).toEqual({ text: "acknowledged" });
    expect(await again.kill("SIGTERM")).toBe(0);
  },
);

test("it stops in time while a database elsewhere is frozen, and leaves that as it is", async () => {
  const postgres = await startOwnPostgres();
  onTestFinished(() => postgres.stop());
  const parley = await startParley({ DATABASE_URL: postgres.database.url() });
  const { hang } = await keepBusy(parley);
  const postmaster = postmasterOf(postgres.dataDir) as number;
  const all = processesOf(postmaster);
  onTestFinished(() => send(all, "SIGCONT"));
  send(all, "SIGSTOP");
  const hanging = hang();
  await stopsInTime(parley);
  await hanging;
  expect(isAlive(postmaster)).toBe(true);
});

test("what nobody caught is logged, counted and survived", async () => {
  const breaks = `process.on("SIGUSR2", () => {
    Promise.reject(new Error("rejected on purpose"));
    setImmediate(() => { throw new Error("thrown on purpose"); });
  })`;
  const parley = await startParley({
    PARLEY_DATA: dataDir,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(breaks)}`,
  });
  const alex = await parley.create();
  const wait = parley.wait(alex, { since_cursor: 0 });
  await until(async () => (await metric(parley.url, "parley_waiting_calls")) === 1, "the wait to be held");
  process.kill(parley.pid, "SIGUSR2");
  const survived = (place: string) => metric(parley.url, `parley_survived_errors_total\\{place="${place}"\\}`);
  await until(async () => (await survived("promise")) === 1 && (await survived("handler")) === 1, "both to be counted");
  const purposes = ["rejected on purpose", "thrown on purpose"];
  await until(() => purposes.every((purpose) => parley.said.stdout.includes(purpose)), "both to be logged");
  const blue = await parley.join(alex);
  expect((await wait).body.messages).toMatchObject([{ cursor: 1 }]);
  expect(await parley.say(blue, "still here")).toMatchObject({ cursor: 2 });
  expect(await parley.kill("SIGTERM")).toBe(0);
});
