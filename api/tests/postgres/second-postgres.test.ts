import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metric } from "../../../testing/faults.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, until } from "../../../testing/server.ts";
import { connectionUrl } from "../../postgres/embedded/socket.ts";
import { migrate } from "../../postgres/migrate.ts";

const log = pino({ level: "fatal" });
const INSTALLED = "/usr/lib/postgresql";
const binaries = findBinaries();
const user = findUser();
const skipped = !binaries ? `no PostgreSQL under ${INSTALLED}` : !user ? "no user to run PostgreSQL as" : undefined;

function findBinaries(): string | undefined {
  const versions = existsSync(INSTALLED)
    ? readdirSync(INSTALLED)
        .map(Number)
        .filter((version) => version >= 15)
    : [];
  return versions
    .sort((a, b) => a - b)
    .map((version) => `${INSTALLED}/${version}/bin`)
    .find((bin) => existsSync(`${bin}/initdb`) && existsSync(`${bin}/postgres`));
}

/** PostgreSQL refuses to run as root. */
function findUser(): { uid?: number; gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {};
  for (const name of ["postgres", "nobody"]) {
    try {
      const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: "pipe" }));
      return { uid: id("-u"), gid: id("-g") };
    } catch {
      // Not on this machine.
    }
  }
  return undefined;
}

describe.skipIf(skipped)(`a PostgreSQL of one's own${skipped ? ` (skipped: ${skipped})` : ""}`, () => {
  let folder: string;
  let stop = async () => {};
  const url = (role: string, database: string) => connectionUrl(folder, role, database);
  const asSuperuser = (text: string) => connected(url("postgres", "postgres"), (client) => client.query(text));

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "parley-second-"));
    if (user?.uid) chownSync(folder, user.uid, user.gid as number);
    const data = join(folder, "data");
    const options = { ...user, cwd: "/" };
    await promisify(execFile)(
      `${binaries}/initdb`,
      ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"],
      options,
    );
    const flags = ["listen_addresses=", `unix_socket_directories=${folder}`, "port=5432", "fsync=off"].flatMap(
      (flag) => ["-c", flag],
    );
    const server = spawn(`${binaries}/postgres`, ["-D", data, ...flags], { ...options, stdio: "ignore" });
    stop = async () => {
      server.kill("SIGINT");
      await once(server, "exit");
    };
    await until(() => asSuperuser("select").catch(() => undefined), "the second PostgreSQL");
    await asSuperuser("create role ordinary login createrole");
    await asSuperuser("create database of_superuser");
    await asSuperuser("create database of_ordinary owner ordinary");
  });
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    ["an ordinary role that may create roles and owns the database", "ordinary", "of_ordinary"],
    ["a superuser", "postgres", "of_superuser"],
  ])("it runs as %s, whatever number of replicas starts at once", async (_who, role, database) => {
    const databaseUrl = url(role, database);
    await Promise.all(Array.from({ length: 4 }, () => migrate(databaseUrl, log)));
    const parley = await startTestServer({
      database: { url: () => databaseUrl, drop: async () => undefined },
      databaseUrl,
      worker: true,
    });
    try {
      expect((await fetch(`${parley.url}/readyz`)).status).toBe(200);
      const alex = await parley.create();
      const blue = await parley.join(alex);
      const answer = parley.wait(blue);
      await until(async () => (await metric(parley.url, "parley_waiting_calls")) === 1, "the wait to be held");
      await parley.say(alex, "Grüße aus der Fremde");
      expect((await answer).body.messages).toMatchObject([{ cursor: 2, content: { text: "Grüße aus der Fremde" } }]);
      await parley.post(`/sessions/${alex.ref}/doc/append`, { text: "# Notes" }, blue);
      const { body } = await parley.post(
        `/sessions/${alex.ref}/conclude`,
        { summary_section: "It works here too." },
        alex,
      );
      expect(body).toMatchObject({ status: "closed", doc_version: 2 });
      expect((await parley.get(`/sessions/${alex.ref}/doc`, blue)).body.content).toBe(
        "# Notes\n\n## Conclusion\n\nIt works here too.\n",
      );
      await until(
        () =>
          connected(
            databaseUrl,
            async (client) => (await client.query("select from graphile_worker.jobs where attempts = 0")).rowCount,
          ),
        "the sweep to be armed",
      );
    } finally {
      await parley.stop();
    }
  });
});
