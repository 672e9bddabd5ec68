import { pino } from "pino";
import { announcement } from "./announce.ts";
import { readConfig } from "./config.ts";
import { StartError } from "./start-error.ts";

const STOP_WITHIN_MS = 9_500;

async function start() {
  const config = readConfig(process.env);
  const log = pino({ level: config.logLevel });
  // Loaded after the environment has been checked: a wrong value is told at once.
  const [{ startEmbeddedPostgres }, { migrate }, { startServer }] = await Promise.all([
    import("./postgres/embedded.ts"),
    import("./migrate.ts"),
    import("./server.ts"),
  ]);

  const embedded = config.databaseUrl ? undefined : await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  const ownerUrl = config.databaseUrl ?? (embedded?.url() as string);
  const serverUrl = config.databaseUrl ?? (embedded?.url("parley_server") as string);
  try {
    await migrate(ownerUrl, log, config.mcpUrl);
    const server = await startServer({ ...config, databaseUrl: serverUrl, log });
    console.log(announcement({ ...config, port: server.port }));
    return async () => {
      log.info("stopping");
      await server.stop();
      await embedded?.stop();
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** What the operator can mend is said in a sentence; only a bug shows its stack. */
function fail(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof StartError) console.error(message);
  else if (process.env.DATABASE_URL && code) console.error(`DATABASE_URL: the database cannot be used (${message}).`);
  else console.error(error);
  process.exit(1);
}

const started = start();
started.catch(fail);

// A signal during the start waits for it: a database that was just started must not be left behind.
let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    started.then((stop) => stop()).then(() => process.exit(0), fail);
  });
}
