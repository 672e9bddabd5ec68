import { isLoopbackAddress } from "./http/origin.ts";

interface Place {
  host: string;
  port: number;
  publicOrigins: string[];
}

/** Where the server is reached, as far as its environment tells. */
export function addressOf({ host, port, publicOrigins }: Place): string {
  const shown = host === "0.0.0.0" || host === "::" || host === "127.0.0.1" ? "localhost" : host;
  return publicOrigins[0] ?? `http://${shown.includes(":") ? `[${shown}]` : shown}:${port}`;
}

/** What the operator sees when the server is up: where it is, who will be answered there, and how the owner comes in. */
export function announcement(place: Place, firstToken?: string): string {
  const { host, port, publicOrigins } = place;
  const base = addressOf(place);
  const unreachable = !isLoopbackAddress(host) && publicOrigins.length === 0;
  return `
  Parley is running.

    page      ${base}
    MCP link  ${base}/mcp
    GraphQL   ${base}/graphql

  Give this line to an agent:

    Read ${base}/AGENTS.md and follow it.
${firstToken ? ownersLink(base, firstToken) : ""}${unreachable ? onlyHere(host, port) : ""}`;
}

const ownersLink = (base: string, token: string) => `
  Nobody is owner yet. This link makes one, once, within a day:

    ${base}/sign-in#token=${token}
`;

const onlyHere = (host: string, port: number) => `
  Only this machine is answered, at http://localhost:${port}: HOST is ${host}, but PUBLIC_URL is not set.
  To let others in, set PUBLIC_URL to the address that they use, such as http://192.168.1.7:${port}.
`;
