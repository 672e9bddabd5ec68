import { pino } from "pino";
import { countBuffersAsMemory } from "../api/garbage.ts";
import { startServer } from "../api/server.ts";
import { serveUsage } from "./child.ts";

/** Parley as api/main.ts starts it, in a process whose cost can be told apart. */
countBuffersAsMemory();
const server = await startServer({
  databaseUrl: process.env.BENCH_DATABASE_URL as string,
  access: process.env.PARLEY_ACCESS === "keys" ? "keys" : "open",
  host: "127.0.0.1",
  // The requests are prepared before the port is known.
  publicOrigins: ["http://127.0.0.1"],
  port: 0,
  worker: true,
  graphiql: false,
  log: pino({ level: "fatal" }),
});
serveUsage(server.port, () => server.stop());
