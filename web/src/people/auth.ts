/** What the server refused, in its own words. */
export class AuthError extends Error {
  hint: string | undefined;
  field: string | undefined;

  constructor(message: string, details: { hint?: string; field?: string } = {}) {
    super(message);
    this.hint = details.hint;
    this.field = details.field;
  }

  get whole(): string {
    return [this.message, this.hint].filter(Boolean).join(" ");
  }
}

/** The few calls that are not GraphQL: they set and end the cookie. */
export const auth = <Answer>(path: string, body?: object): Promise<Answer> => ask(`/auth${path}`, body);

/** With a body it posts. */
export async function ask<Answer>(address: string, body?: object): Promise<Answer> {
  const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let response: Response;
  try {
    response = await fetch(address, body ? post : {});
  } catch {
    throw new AuthError("The server does not answer.");
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const { message = `The server answered ${response.status}.`, details } = answer.error ?? {};
  throw new AuthError(message, details);
}

/** A page of this server to go to, whatever an address says; a path that begins with two slashes would be none. */
export function ownPath(to: string | undefined): string {
  if (!to || !URL.canParse(to, location.origin)) return "/";
  const { origin, pathname, search, hash } = new URL(to, location.origin);
  return origin === location.origin ? pathname.replace(/^\/+/, "/") + search + hash : "/";
}

export const here = () => location.pathname + location.search + location.hash;

/** With a new page: nothing that was read as somebody else is left in it. */
export function enter(to: string): void {
  history.replaceState(null, "", ownPath(to));
  location.reload();
}
