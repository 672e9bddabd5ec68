import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metric } from "../../../testing/faults.ts";
import { connected } from "../../../testing/postgres.ts";
import { noSecondPostgres, startSecondPostgres } from "../../../testing/second-postgres.ts";
import { startTestServer, until } from "../../../testing/server.ts";
import { migrate } from "../../postgres/migrate.ts";

const log = pino({ level: "fatal" });
const skipped = noSecondPostgres;

describe.skipIf(skipped)(`a PostgreSQL of one's own${skipped ? ` (skipped: ${skipped})` : ""}`, () => {
  let postgres: Awaited<ReturnType<typeof startSecondPostgres>>;

  beforeAll(async () => {
    postgres = await startSecondPostgres();
    await postgres.asSuperuser("create role ordinary login createrole");
    await postgres.asSuperuser("create database of_superuser");
    await postgres.asSuperuser("create database of_ordinary owner ordinary");
  });
  afterAll(() => postgres?.stop());

  test.each([
    ["an ordinary role that may create roles and owns the database", "ordinary", "of_ordinary"],
    ["a superuser", "postgres", "of_superuser"],
  ])("it runs as %s, whatever number of replicas starts at once", async (_who, role, database) => {
    const databaseUrl = postgres.url(role, database);
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
