import { randomBytes } from "node:crypto";
import { makeKey as newKey } from "./access-key.ts";
import { connected } from "./postgres.ts";
import type { Answer, TestServer } from "./server.ts";

export type Role = "owner" | "member" | "viewer";

export interface Person {
  id: string;
  name: string;
  /** What their browser sends with a request from our own page. */
  headers: Record<string, string>;
}

const sql = <Row>(parley: TestServer, text: string, values: unknown[]): Promise<Row[]> =>
  connected(
    parley.database.url("parley_owner"),
    async (client) => (await client.query(text, values)).rows as unknown as Row[],
  );

/** Somebody who is signed in, without the way there. */
export async function signIn(parley: TestServer, name: string, role: Role = "member"): Promise<Person> {
  const cookie = randomBytes(32).toString("base64url");
  const [person] = await sql<{ id: string }>(
    parley,
    `with person as (insert into parley_private.users (name, role) values ($1, $2) returning id)
     insert into parley_private.sign_ins (hash, user_id, by, expires_at)
     select sha256(convert_to($3, 'UTF8')), id, 'link', now() + interval '1 day' from person returning user_id as id`,
    [name, role, cookie],
  );
  const headers = { cookie: `parley=${cookie}`, origin: parley.url, "content-type": "application/json" };
  return { id: person?.id as string, name, headers };
}

/** A key, as the command makes it on the machine itself. */
export const makeKey = (parley: TestServer, scopes: string[], session: string | null = null, expires?: string) =>
  newKey(parley.database, { scopes, ...(session && { session }), ...(expires && { expires }) });

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** REST as the page would speak it, for one caller. */
export function as(parley: TestServer, { headers }: { headers: Record<string, string> }) {
  return {
    get: (path: string): Promise<Answer> => parley.get(path, undefined, { headers }),
    post: (path: string, body: unknown = {}): Promise<Answer> => parley.post(path, body, undefined, { headers }),
    graphql: async (query: string, variables: object = {}) => {
      const response = await fetch(`${parley.url}/graphql`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ query, variables }),
      });
      // biome-ignore lint/suspicious/noExplicitAny: tests look into answers as their readers do
      return (await response.json()) as { data?: any; errors?: { message: string; extensions: { code: string } }[] };
    },
  };
}

export const codeOf = ({ status, body }: Answer) => (status === 200 ? [200] : [status, body.error.code]);
