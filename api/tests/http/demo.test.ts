import type { AddressInfo } from "node:net";
import express from "express";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connected, createTestDatabase, type TestDatabase } from "../../../testing/postgres.ts";
import { type Answer, startTestServer, type Team, until } from "../../../testing/server.ts";
import { createDemo } from "../../http/demo.ts";
import { errorHandler } from "../../http/error-handler.ts";
import { PublicAddress } from "../../http/public-address.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const sql = async (text: string, values: unknown[] = []) =>
  (await connected(database.url("parley_owner"), (client) => client.query(text, values))).rows;

async function demo(url: string, init: RequestInit = { method: "POST" }): Promise<Answer> {
  const response = await fetch(`${url}/demo`, init);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

test("the demo starts with a POST, once at a time, its teams listen, and it goes when the server goes", async () => {
  const parley = await startTestServer({ database });
  const { status, body } = await demo(parley.url);
  expect({ status, body }).toEqual({ status: 200, body: { ref: body.ref, url: `${parley.url}/s/${body.ref}` } });

  const again = await demo(parley.url);
  expect(again.status).toBe(409);
  expect(again.body.error).toMatchObject({ code: "demo_running", details: { ref: body.ref } });
  expect(again.body.error.details.hint).toContain(`/s/${body.ref}`);

  const watcher = await parley.join({ ref: body.ref } as Team, "Watcher");
  const listening = async () => {
    const { participants } = (await parley.get(`/sessions/${body.ref}/participants`, watcher)).body;
    return participants.filter((team: { listening: boolean }) => team.listening).map((t: Team) => t.handle);
  };
  await until(async () => (await listening()).includes("platform"), "Platform to listen, by REST");
  await until(async () => (await listening()).includes("alexs-team"), "Alex's Team to listen, by MCP");

  await parley.stop();
  const left = await sql(
    `select handle from parley.participants p join parley.sessions s on s.id = p.session_id
    where s.ref = $1 and s.status = 'closed' and p.left_at is not null order by p.id`,
    [body.ref],
  );
  expect(left.map(({ handle }) => handle)).toEqual(expect.arrayContaining(["alexs-team", "platform"]));
  expect(await sql("select from parley_private.waits")).toEqual([]);
});

test("other methods and foreign pages do not start it", async () => {
  const parley = await startTestServer({ database });
  const before = await sql("select count(*) from parley.sessions");
  const looked = await demo(parley.url, { method: "GET" });
  expect(looked.status).toBe(405);
  expect(looked.headers.get("allow")).toBe("POST");
  expect(looked.body.error.code).toBe("method_not_allowed");
  const foreign = await demo(parley.url, { method: "POST", headers: { origin: "https://elsewhere.example" } });
  expect([foreign.status, foreign.body.error.code]).toEqual([403, "forbidden_origin"]);
  expect(await sql("select count(*) from parley.sessions")).toEqual(before);
  await parley.stop();
});

test("where it is switched off, nothing is there, and it says so", async () => {
  const parley = await startTestServer({ database, demo: false });
  const { status, body } = await demo(parley.url);
  expect([status, body.error.code, body.error.message]).toEqual([404, "not_found", expect.stringContaining("off")]);
  await parley.stop();
});

test.for([
  ["0.0.0.0", "127.0.0.1"],
  ["127.0.0.2", "127.0.0.2"],
  ["localhost", "localhost"],
])("it works on a server that listens on %s", async ([host, reached]) => {
  const parley = await startTestServer({ database, host: host as string });
  const { status, body } = await demo(`http://${reached}:${parley.server.port}`);
  expect([status, body.url]).toEqual([200, `http://${reached}:${parley.server.port}/s/${body.ref}`]);
  await parley.stop();
});

test("it tells the address that people use", async () => {
  const parley = await startTestServer({ database });
  await sql(`update parley.settings set value = '"https://parley.example.com/mcp"' where name = 'mcp_url'`);
  await until(
    async () => (await (await fetch(`${parley.url}/AGENTS.md`)).text()).includes("https://parley.example.com"),
    "the setting to apply",
  );
  const { body } = await demo(parley.url);
  expect(body.url).toBe(`https://parley.example.com/s/${body.ref}`);
  await sql(`update parley.settings set value = '""' where name = 'mcp_url'`);
  await parley.stop();
});

test("it may be started again when it is over, and its end is in the log", async () => {
  const parley = await startTestServer({ database });
  const said: { msg: string; ref?: string }[] = [];
  const log = pino({}, { write: (line: string) => said.push(JSON.parse(line)) });
  const inAHurry = createDemo({ url: () => parley.url, publicAddress: new PublicAddress(new pg.Pool()), log, pace: 0 });
  const app = express().use("/demo", inAHurry.router);
  const server = app.use(errorHandler(() => undefined)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const first = await demo(url);
  await until(() => said.some(({ msg, ref }) => msg === "the demo is over" && ref === first.body.ref), "the line");
  const second = await until(async () => {
    const answer = await demo(url);
    return answer.status === 200 && answer.body;
  }, "another one to start");
  expect(second.ref).not.toBe(first.body.ref);

  await inAHurry.stop();
  expect(said.at(-1)?.msg).toBe("the demo was stopped");
  expect((await demo(url)).status).toBe(503);
  server.close();
  await parley.stop();
});
