import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { announcement } from "./announce.ts";
import { readConfig } from "./config.ts";
import { countBuffersAsMemory } from "./garbage.ts";
import { describeError, discreet } from "./log.ts";
import { StartError } from "./start-error.ts";
import { surviveEverything } from "./survive.ts";

// On a busy machine that takes longer: it is promised within ten seconds.
const STOP_WITHIN_MS = 8_500;
// What is left belongs to the embedded database.
const LAST_ANSWERS_MS = 6_000;
const SPARE_MS = 500;

const USAGE = `npm start               serves; on http://localhost:7423, if nothing else is said
npm start -- --check    says what is unsafe about this configuration, and what to do
npm start -- --help     this

What is configured is configured by variables of the environment: PORT, HOST, DATABASE_URL, PARLEY_DATA, PARLEY_ACCESS,
PUBLIC_URL and others. deploy/README.md has them all.`;

/** Returns how to stop it. A signal breaks the start off: then what has been started so far is what there is to stop. */
async function start(signal: AbortSignal) {
  countBuffersAsMemory();
  const config = readConfig(process.env);
  const log = discreet(pino({ level: config.logLevel }));
  // Loaded after the environment has been checked: a wrong value is told at once.
  const [{ startEmbeddedPostgres }, { migrate }, { loginOfServer }, { startServer }, { firstLink }] = await Promise.all(
    [
      import("./postgres/embedded/index.ts"),
      import("./postgres/migrate.ts"),
      import("./postgres/login.ts"),
      import("./server.ts"),
      import("./people/first-link.ts"),
    ],
  );

  const { dataDir } = config;
  const embedded = config.databaseUrl ? undefined : await startEmbeddedPostgres({ dataDir, log, signal });
  const ownerUrl = config.databaseUrl ?? (embedded?.url() as string);
  const serve = async () => {
    await migrate(ownerUrl, log, { mcpUrl: config.mcpUrl, settings: config.settings });
    const serverUrl = embedded ? embedded.url("parley_server") : await loginOfServer(ownerUrl, log);
    const server = await startServer({ ...config, databaseUrl: serverUrl, log });
    const token = config.access === "keys" ? await firstLink(ownerUrl) : undefined;
    console.log(announcement({ ...config, port: server.port }, token));
    surviveEverything(log);
    return server;
  };
  try {
    const server = await Promise.race([serve(), aborted(signal)]);
    // What was broken off loses its database in the middle of things; that must not end the process before the database.
    if (!server) for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, () => undefined);
    return async () => {
      log.info("stopping");
      const until = Date.now() + STOP_WITHIN_MS - SPARE_MS;
      await Promise.race([server?.stop(), sleep(LAST_ANSWERS_MS)]);
      await embedded?.stop(until - Date.now());
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** Whoever writes --port 80 is not served on another port. */
function readOptions() {
  try {
    return parseArgs({ options: { check: { type: "boolean" }, help: { type: "boolean", short: "h" } } }).values;
  } catch (error) {
    const [sentence] = (error as Error).message.split(". ", 1);
    console.error(`${sentence}.\n\n${USAGE}`);
    process.exit(2);
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });

/** What the operator can mend is said in a sentence; only a bug shows its stack. */
function fail(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof StartError) console.error(message);
  else if (process.env.DATABASE_URL && code) console.error(`DATABASE_URL: the database cannot be used (${message}).`);
  else console.error(describeError(error).stack ?? message);
  process.exit(1);
}

const { check: checks, help } = readOptions();
if (help) {
  console.log(USAGE);
  process.exit(0);
} else if (checks) {
  const { check } = await import("./check/index.ts");
  process.exit(await check(process.env).catch(fail));
}

const stopping = new AbortController();
const started = start(stopping.signal);
const isBrokenOff = (error: Error) => stopping.signal.aborted && error.name === "AbortError";
started.catch((error) => (isBrokenOff(error) ? process.exit(0) : fail(error)));

// A signal during the start waits for no more than the database, which must not be left behind.
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    started.then((stop) => stop()).then(() => process.exit(0), fail);
  });
}
