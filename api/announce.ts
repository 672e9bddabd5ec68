import { isLoopbackAddress } from "./http/origin.ts";

interface Place {
  host: string;
  port: number;
  publicOrigins: string[];
}

/** What the operator sees when the server is up: where it is, and who will be answered there. */
export function announcement({ host, port, publicOrigins }: Place): string {
  const shown = host === "0.0.0.0" || host === "::" || host === "127.0.0.1" ? "localhost" : host;
  const base = publicOrigins[0] ?? `http://${shown.includes(":") ? `[${shown}]` : shown}:${port}`;
  const unreachable = !isLoopbackAddress(host) && publicOrigins.length === 0;
  return `
  Parley is running.

    page      ${base}
    MCP link  ${base}/mcp
    GraphQL   ${base}/graphql

  Give this line to an agent:

    Read ${base}/AGENTS.md and follow it.
${unreachable ? onlyHere(host, port) : ""}`;
}

const onlyHere = (host: string, port: number) => `
  Only this machine is answered, at http://localhost:${port}: HOST is ${host}, but PUBLIC_URL is not set.
  To let others in, set PUBLIC_URL to the address that they use, such as http://192.168.1.7:${port}.
`;
