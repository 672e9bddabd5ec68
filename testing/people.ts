import { connected } from "./postgres.ts";
import type { Answer, TestServer } from "./server.ts";

export interface Person {
  id: string;
  name: string;
  role: string;
  cookie: string;
  /** What the page of this person sends along. */
  headers: Record<string, string>;
}

/** A token as the command makes it, on the machine itself. */
export const makeLink = (parley: TestServer, name: string | null, role: string | null): Promise<string> =>
  connected(parley.database.url("parley_owner"), async (client) => {
    const { rows } = await client.query<{ secret: string }>("select secret from parley_private.admin_link($1, $2)", [
      name,
      role,
    ]);
    return rows[0]?.secret as string;
  });

/** As the page does it; answers with what came, and the cookie that was set. */
export async function auth(parley: TestServer, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${parley.url}/auth${path}`, {
    ...(body && { method: "POST", body: JSON.stringify(body) }),
    headers: { origin: parley.url, "content-type": "application/json", ...headers },
    redirect: "manual",
  });
  const text = await response.text();
  const answer: Answer = {
    status: response.status,
    headers: response.headers,
    body: text.startsWith("{") ? JSON.parse(text) : text,
  };
  return { ...answer, setCookie: response.headers.get("set-cookie") ?? "" };
}

export const asPerson = (parley: TestServer, setCookie: string): Record<string, string> => ({
  cookie: setCookie.split(";", 1)[0] as string,
  origin: parley.url,
  "content-type": "application/json",
});

/** Somebody new, signed in by a link. */
export async function signIn(parley: TestServer, role: string, name = `${role} ${++people}`): Promise<Person> {
  const { body, setCookie } = await auth(parley, "/sign-in", { token: await makeLink(parley, name, role) });
  const headers = asPerson(parley, setCookie);
  return { ...body.person, cookie: headers.cookie, headers };
}

let people = 0;
