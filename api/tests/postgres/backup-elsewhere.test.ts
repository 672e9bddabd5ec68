import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connected, createTestDatabase, type TestDatabase } from "../../../testing/postgres.ts";
import { noSecondPostgres, startSecondPostgres } from "../../../testing/second-postgres.ts";
import { startTestServer, type Team } from "../../../testing/server.ts";
import { fillTemplate } from "../../../testing/setup.ts";
import { backUp } from "../../postgres/backup/backup.ts";
import { restore } from "../../postgres/backup/restore.ts";

const log = pino({ level: "fatal" });

describe.skipIf(noSecondPostgres)(
  `another PostgreSQL${noSecondPostgres ? ` (skipped: ${noSecondPostgres})` : ""}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "parley-elsewhere-"));
    const file = join(folder, "first.backup");
    let postgres: Awaited<ReturnType<typeof startSecondPostgres>>;
    let database: TestDatabase;
    let team: Team;

    beforeAll(async () => {
      [postgres, database] = await Promise.all([startSecondPostgres(), createTestDatabase()]);
      await postgres.asSuperuser("create role ordinary login createrole");
      await postgres.asSuperuser("create database theirs owner ordinary");
      await fillTemplate(postgres.url("ordinary", "theirs"));
      const parley = await startTestServer({ database });
      team = await parley.create();
      await parley.say(team, "Grüße\tvon \\ hier");
      await parley.post(`/sessions/${team.ref}/doc/append`, { text: "# Notes" }, team);
      await parley.post(`/sessions/${team.ref}/conclude`, { summary_section: "Done." }, team);
      await parley.stop();
      await backUp(database.url(), file);
      await restore(file, async () => postgres.url("ordinary", "theirs"), log);
    });
    afterAll(async () => {
      await postgres?.stop();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    });

    /** Every row of every table that is in a backup, as text. */
    const everything = async (url: string) => {
      const path = join(folder, "look.backup");
      const { rows } = await backUp(url, path);
      const texts: Record<string, string[]> = {};
      await connected(url, async (client) => {
        await client.query("set role parley_owner; set timezone = 'UTC'");
        for (const name of Object.keys(rows))
          texts[name] = (await client.query(`select t::text as row from ${name} t order by 1`)).rows.map(
            ({ row }) => row,
          );
      });
      return texts;
    };

    test("a backup goes from the embedded one to another version, whose user is no superuser, and back", async () => {
      const there = await everything(postgres.url("ordinary", "theirs"));
      expect(there["parley.messages"]).toHaveLength(2);
      expect(there).toEqual(await everything(database.url()));

      const back = join(folder, "back.backup");
      await backUp(postgres.url("ordinary", "theirs"), back);
      const home = await createTestDatabase();
      await restore(back, async () => home.url(), log);
      expect(await everything(home.url())).toEqual(there);
      const again = await startTestServer({ database: home });
      expect((await again.get(`/sessions/${team.ref}/doc`, team)).body.content).toBe(
        "# Notes\n\n## Conclusion\n\nDone.\n",
      );
      await again.stop();
      await home.drop();
    });

    test("rows that a policy would hide are not left out in silence", async () => {
      await connected(postgres.url("ordinary", "theirs"), (client) =>
        client.query(`set role parley_owner; create table parley.secret (id integer);
        alter table parley.secret enable row level security, force row level security`),
      );
      await expect(backUp(postgres.url("ordinary", "theirs"), join(folder, "hidden"))).rejects.toThrow(
        /Row security hides rows of parley\.secret/,
      );
      expect((await backUp(postgres.url("postgres", "theirs"), join(folder, "hidden"))).rows).toMatchObject({
        "parley.secret": 0,
      });
      await connected(postgres.url("ordinary", "theirs"), (client) =>
        client.query("set role parley_owner; drop table parley.secret"),
      );
    });

    test.each([
      ["a superuser", ["--username=postgres"]],
      [
        "the user of DATABASE_URL",
        [
          "--username=ordinary",
          "--role=parley_owner",
          "--enable-row-security",
          "--schema=parley*",
          "--schema=graphile_migrate",
        ],
      ],
    ])("pg_dump as %s has all of it, and psql makes a Parley of it", async (_who, flags) => {
      const { stdout } = await postgres.run("pg_dump", [...flags, "theirs"]);
      expect(stdout).toContain("Grüße");
      await postgres.asSuperuser("drop database if exists copy");
      await postgres.asSuperuser("create database copy owner ordinary");
      const dump = join(folder, "dump.sql");
      writeFileSync(dump, stdout);
      await postgres.run("psql", ["--username=postgres", "--set=ON_ERROR_STOP=1", "--quiet", `--file=${dump}`, "copy"]);
      expect(await everything(postgres.url("ordinary", "copy"))).toEqual(
        await everything(postgres.url("ordinary", "theirs")),
      );
      const databaseUrl = postgres.url("ordinary", "copy");
      const again = await startTestServer({
        database: { url: () => databaseUrl, drop: async () => undefined },
        databaseUrl,
      });
      expect((await again.get(`/sessions/${team.ref}/messages`, team)).body.messages).toHaveLength(2);
      await again.stop();
    });

    test("without these flags, pg_dump says that row security is in its way instead of leaving rows out", async () => {
      await expect(postgres.run("pg_dump", ["--username=ordinary", "--role=parley_owner", "theirs"])).rejects.toThrow(
        /row-level security|permission denied/,
      );
    });
  },
);
