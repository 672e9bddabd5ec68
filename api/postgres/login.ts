import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { asRole } from "./database.ts";

const LOCK = 74_24;
const ITERATIONS = 4_096;
const CONNECT_MS = 15_000;

/**
 * The address under which the server works: a login of its own that owns nothing and may only become parley_caller and
 * parley_worker, so that no statement on its connections can do what the owner may. Where that cannot be had (peer
 * authentication, a pooler with its own list of users, a provider that forbids roles) DATABASE_URL has to do.
 */
export async function loginOfServer(ownerUrl: string, log: Logger): Promise<string> {
  const owner = new pg.Client({
    connectionString: ownerUrl,
    application_name: "parley login",
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  });
  owner.on("error", () => undefined);
  await owner.connect();
  try {
    const login = describeLogin(owner, ownerUrl);
    // Replicas that start together take turns: the one that is behind finds the login as it should be.
    while (!(await tryLock(owner))) await sleep(50);
    await makeRole(owner, login);
    if (await refusalOf(login)) {
      await setPassword(owner, login);
      const refusal = await refusalOf(login);
      if (refusal) throw refusal;
    }
    return login.url;
  } catch (err) {
    log.warn(
      { err },
      "the server works as the user of DATABASE_URL: a login that owns nothing could not be made, or not be used",
    );
    return ownerUrl;
  } finally {
    await owner.end().catch(() => undefined);
  }
}

interface Login {
  role: string;
  password: string;
  url: string;
}

/** One per database and owner. Whoever knows the password of the owner can derive this one, and nobody else. */
function describeLogin({ user, database, host, password: secret }: pg.Client, ownerUrl: string): Login {
  const whose = `${database}\0${user}`;
  const role = `parley_server_${createHash("sha256").update(whose).digest("hex").slice(0, 12)}`;
  const password = secret
    ? createHmac("sha256", secret as string)
        .update(`parley server\0${whose}`)
        .digest("base64url")
    : "";
  const url = new URL(ownerUrl);
  if (!url.hostname) {
    // An address without a host cannot hold a user.
    url.hostname = "localhost";
    url.searchParams.set("host", host);
  }
  url.username = role;
  url.password = password;
  for (const name of ["user", "password"]) url.searchParams.delete(name);
  // Left out, it would be the name of the user.
  url.pathname = `/${encodeURIComponent(database ?? "")}`;
  return { role, password, url: url.href };
}

async function tryLock(owner: pg.Client): Promise<boolean> {
  const { rows } = await owner.query<{ locked: boolean }>("select pg_try_advisory_lock($1) as locked", [LOCK]);
  return rows[0]?.locked === true;
}

async function makeRole(owner: pg.Client, { role }: Login) {
  const { rows } = await owner.query<{ ready: boolean }>(
    `select rolcanlogin and not rolinherit and pg_has_role(oid, 'parley_caller', 'member')
      and pg_has_role(oid, 'parley_worker', 'member') and has_database_privilege(oid, current_database(), 'connect') as ready
    from pg_roles where rolname = $1`,
    [role],
  );
  if (rows[0]?.ready) return;
  // Another database of this cluster may be granting at the same moment: then it is tried again.
  for (let attempt = 1; ; attempt++) {
    try {
      const exists = (await owner.query("select from pg_roles where rolname = $1", [role])).rowCount;
      await owner.query(`${exists ? "alter" : "create"} role ${role} login noinherit`);
      await owner.query(`grant parley_caller, parley_worker to ${role}`);
      await owner.query(`grant connect on database ${owner.escapeIdentifier(owner.database ?? "")} to ${role}`);
      return;
    } catch (error) {
      if (attempt === 5 || (error as pg.DatabaseError).code !== "XX000") throw error;
      await sleep(20 * attempt);
    }
  }
}

/** Only a verifier is sent, which a log of statements may hold: nobody can log in with it. */
async function setPassword(owner: pg.Client, { role, password }: Login) {
  if (password) await owner.query(`alter role ${role} password '${scramVerifier(password)}'`);
}

/** As PostgreSQL keeps it (RFC 5803): for a password in ASCII, which needs no normalisation. */
export function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, "sha256");
  const key = (name: string) => createHmac("sha256", salted).update(name).digest();
  const stored = createHash("sha256").update(key("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString("base64")}$${stored}:${key("Server Key").toString("base64")}`;
}

/** Why the login cannot be used; undefined when it can. */
async function refusalOf({ role, url }: Login): Promise<unknown> {
  const client = new pg.Client({
    connectionString: asRole(url, "parley_caller"),
    application_name: "parley login",
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ right: boolean }>(
      "select session_user = $1 and current_user = 'parley_caller' and to_regnamespace('parley') is not null as right",
      [role],
    );
    return rows[0]?.right ? undefined : new Error("the login leads elsewhere");
  } catch (error) {
    return error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
