import type { Config } from "../config.ts";
import { isLoopbackAddress } from "../http/origin.ts";

export interface Finding {
  /** undefined: to be known, but no fault by itself. */
  safe: boolean | undefined;
  text: string;
  todo?: string;
}

/** Of no network that anybody would mean. */
const STRANGERS = ["198.51.100.1", "203.0.113.9", "8.8.8.8"];

const isLocal = (origin: string) => {
  const { hostname } = new URL(origin);
  return hostname === "localhost" || isLoopbackAddress(hostname.replace(/^\[|\]$/g, ""));
};

/** What the environment alone tells: everything that is open to others has to be meant. */
export function checkConfiguration(config: Config, env: NodeJS.ProcessEnv): Finding[] {
  const { host, port, publicOrigins, trustProxy, limits, databaseUrl } = config;
  const listensToOthers = !isLoopbackAddress(host) && host !== "localhost";
  const others = publicOrigins.filter((origin) => !isLocal(origin));
  const plain = others.filter((origin) => origin.startsWith("http:"));
  const exposed = others.length > 0 || listensToOthers;
  const hops = /^[1-9]\d*$/.test(env.TRUST_PROXY ?? "");
  const behindProxy = others.length > plain.length;
  const unlimited = Object.entries(limits).filter(([, most]) => most === 0);

  const found: [boolean, string, string][] = [
    [
      listensToOthers && publicOrigins.length === 0,
      `HOST is ${host}, so other machines can connect, but PUBLIC_URL is not set, so none of them is answered`,
      "Set PUBLIC_URL to the address that they use, or leave HOST out",
    ],
    [
      exposed && config.access === "open",
      "access is open: whoever reaches this server reads and changes everything on it",
      "Set PARLEY_ACCESS=keys, or let only this machine in",
    ],
    [
      plain.length > 0,
      `PUBLIC_URL has ${plain.join(", ")}: texts and credentials travel in the clear`,
      "Put a proxy with TLS in front and use https:// (deploy/ has examples)",
    ],
    [
      listensToOthers && behindProxy,
      `HOST is ${host}: port ${port} can be reached past the proxy, without TLS`,
      "Let HOST be 127.0.0.1, or close the port for all but the proxy",
    ],
    [
      behindProxy && !env.TRUST_PROXY,
      "PUBLIC_URL is https, so there is a proxy, and TRUST_PROXY is not set: all clients count as one address",
      "Set TRUST_PROXY to its address: TRUST_PROXY=loopback if it is on this machine",
    ],
    [
      !hops && STRANGERS.every((address) => trustProxy(address, 0)),
      "TRUST_PROXY trusts everybody: whoever connects can claim any address",
      "Name the proxies alone",
    ],
    [
      hops && listensToOthers,
      "TRUST_PROXY is a number and HOST is open: whoever connects past the proxy can claim any address",
      "Name the addresses of the proxies, or let HOST be 127.0.0.1",
    ],
    [
      exposed && unlimited.length > 0,
      `no limit: ${unlimited.map(([name]) => `PARLEY_LIMIT_${name.toUpperCase()}`).join(", ")}`,
      "Set it to a number, or leave it out",
    ],
    [exposed && config.graphiql, "GraphiQL is served to everybody", "Set PARLEY_GRAPHIQL=off, or NODE_ENV=production"],
    [exposed && config.demo, "everybody can start the demo, which makes sessions", "Set PARLEY_DEMO=off"],
  ];
  const findings = found.filter(([unsafe]) => unsafe).map(([, text, todo]): Finding => ({ safe: false, text, todo }));
  if (databaseUrl && leavesMachine(databaseUrl))
    findings.push({ safe: undefined, text: "DATABASE_URL leads to another machine without sslmode=verify-full" });
  if (findings.every(({ safe }) => safe !== false))
    findings.unshift({ safe: true, text: exposed ? "open to others, as it is meant" : "for this machine alone" });
  return findings;
}

function leavesMachine(databaseUrl: string): boolean {
  const { hostname, searchParams } = new URL(databaseUrl);
  const host = searchParams.get("host") ?? hostname;
  const here = host === "" || host.startsWith("/") || host === "localhost" || isLoopbackAddress(host);
  return !here && searchParams.get("sslmode") !== "verify-full";
}
