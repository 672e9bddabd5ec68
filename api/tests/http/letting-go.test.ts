import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createTestDatabase } from "../../../testing/postgres.ts";

const run = promisify(execFile);
const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** A server with little room for young objects, and how much of each post has become old when it had long been answered. */
const SCRIPT = `
  import { GCProfiler } from "node:v8";
  import { pino } from "pino";
  const { startServer } = await import(${module("../../server.ts")});
  const { Connection, post, rest } = await import(${module("../../../bench/client.ts")});
  const POSTS = 300;
  const server = await startServer({
    databaseUrl: process.env.DATABASE_URL, host: "127.0.0.1", port: 0, publicOrigins: ["http://127.0.0.1"], worker: false, graphiql: false, log: pino({ level: "fatal" }),
  });
  const connection = await Connection.open(server.port);
  const { body } = await connection.send(post("/api/sessions", { title: "T", description: "", creator_team_name: "A" }));
  const { ref: session, team_id: teamId } = JSON.parse(body);
  const say = async (times) => { for (let n = 0; n < times; n++) await connection.send(rest.post({ session, teamId }, "A word")); };
  await say(POSTS);
  const profiler = new GCProfiler();
  profiler.start();
  await say(POSTS);
  const old = ({ heapSpaceStatistics }) => heapSpaceStatistics.find(({ spaceName }) => spaceName === "old_space").spaceUsedSize;
  const young = profiler.stop().statistics.filter(({ gcType }) => gcType === "Scavenge");
  console.log(JSON.stringify(young.reduce((sum, { beforeGC, afterGC }) => sum + old(afterGC) - old(beforeGC), 0) / POSTS));
  connection.close();
  await server.stop();`;

test("what a call has held is let go while it is young: nobody has to go through the whole memory for it", async () => {
  const database = await createTestDatabase();
  try {
    const { stdout } = await run(
      process.execPath,
      ["--max-semi-space-size=1", "--input-type=module", "--eval", SCRIPT],
      {
        env: { ...process.env, DATABASE_URL: database.url("parley_server") },
      },
    );
    expect(Number(stdout)).toBeLessThan(5_000);
  } finally {
    await database.drop();
  }
});
