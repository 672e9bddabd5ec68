import { expect, test } from "vitest";
import { createTestDatabase, rolledBack } from "../../testing/postgres.ts";

test("the audit is kept for 90 days, browsers and links for a month after their end, and nobody can forget more", async () => {
  const database = await createTestDatabase();
  await rolledBack(database.url("parley_owner"), async (client) => {
    const remaining = async () => {
      const { rows } = await client.query(
        `select (select count(*)::integer from parley_private.audit) as audit,
           (select count(*)::integer from parley_private.sign_ins) as sign_ins, (select count(*)::integer from parley_private.invites) as invites`,
      );
      return rows[0];
    };
    await client.query(`
      insert into parley_private.audit (at, actor, event) select now() - n * interval '30 days 1 hour', 'a', 'b' from generate_series(0, 4) n;
      insert into parley_private.users (name, role) values ('Ada', 'owner');
      insert into parley_private.sign_ins (hash, user_id, by, expires_at, revoked_at)
      select sha256(n::text::bytea), u.id, 'link', now() + n * interval '1 day', case when n = 3 then now() - interval '31 days' end
      from parley_private.users u, unnest(array[-31, -29, 1, 3]) n;
      insert into parley_private.invites (hash, role, uses_left, made_by, expires_at)
      select sha256(n::text::bytea), 'member', 1, 'a', now() + n * interval '1 day' from unnest(array[-31, -29, 1]) n`);
    expect(await remaining()).toEqual({ audit: 5, sign_ins: 4, invites: 3 });
    await client.query("select parley_private.forget_old()");
    expect(await remaining()).toEqual({ audit: 3, sign_ins: 2, invites: 2 });
    await client.query("delete from parley_private.audit");
    expect(await remaining()).toMatchObject({ audit: 3 });
  });
  await database.drop();
});
