import { resolve } from "node:path";
import { z } from "zod";
import { readTrust, trustNobody } from "./http/client-address.ts";
import { DEFAULT_LIMITS } from "./http/limits.ts";
import { isLoopback, toOrigin } from "./http/origin.ts";
import { isLink } from "./http/public-address.ts";
import { StartError } from "./start-error.ts";

const url = (variable: string, schemes: string[]) =>
  z.string().refine((value) => URL.canParse(value) && schemes.includes(new URL(value).protocol), {
    message: `${variable} must be an address that starts with ${schemes.map((s) => `${s}//`).join(" or ")}.`,
  });

/** Connections of one server. Two more serve health, NOTIFY and what it looks up for itself, and one listens: 20 in all. */
export const DEFAULT_POOLS = { calls: 8, waits: 3, graphql: 4, worker: 2 };

/** Connections to the database; fewer than the least would leave some of its users waiting for each other. */
const connections = (variable: string, least: number, otherwise: number) =>
  z
    .string()
    .refine(
      (value) => /^\d{1,4}$/.test(value) && Number(value) >= least && Number(value) <= 1_000,
      `${variable} must be a number from ${least} to 1000.`,
    )
    .transform(Number)
    .default(otherwise);
/** What one address, or one actor, may have at a time; see api/http/limits.ts. */
const limit = (variable: string, otherwise: number) =>
  z
    .string()
    .refine((value) => /^\d{1,7}$/.test(value), `${variable} must be a number from 0, which is no limit, to 9999999.`)
    .transform(Number)
    .default(otherwise);
const ORIGIN = /^(https?:)\/\/([^/]*)\/?$/;
const origins = (value: string) =>
  value.split(",").map((address) => {
    const [, scheme = "", authority = ""] = ORIGIN.exec(address.trim()) ?? [];
    return toOrigin(scheme, authority);
  });

const isProvider = (value: string) =>
  URL.canParse(value) && (value.startsWith("https://") || (value.startsWith("http://") && isLoopback(value)));

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const schema = z.object({
  PORT: z
    .string()
    .refine((value) => /^\d+$/.test(value) && Number(value) <= 65_535, "PORT must be a number from 0 to 65535.")
    .transform(Number)
    .default(7423),
  HOST: z.string().min(1, "HOST must be an address to listen on, such as 127.0.0.1 or 0.0.0.0.").default("127.0.0.1"),
  DATABASE_URL: url("DATABASE_URL", ["postgres:", "postgresql:"]).optional(),
  PARLEY_DATA: z
    .string()
    .default(".parley")
    .transform((path) => resolve(path)),
  PUBLIC_URL: z
    .string()
    .refine((value) => !origins(value).includes(undefined), {
      message:
        "PUBLIC_URL must be the address that people and agents use, such as https://parley.example.com: scheme, host and port, no path; several with commas between them.",
    })
    .transform((value) => origins(value) as string[])
    .default([]),
  MCP_URL: z
    .string()
    .refine(isLink, {
      message:
        "MCP_URL must be an address that starts with http:// or https://, with a host and a path of plain letters, at most 500 characters.",
    })
    .optional(),
  PARLEY_SETTINGS: z
    .string()
    .transform(parseObject)
    .refine((value) => value !== undefined, {
      message: `PARLEY_SETTINGS must be a JSON object of settings and their first values, such as '{"posts_per_minute": 0}'.`,
    })
    .optional(),
  PARLEY_ACCESS: z.enum(["open", "keys"], "PARLEY_ACCESS must be open or keys.").default("open"),
  OIDC_ISSUER: z
    .string()
    .refine((value) => isProvider(value), {
      message:
        "OIDC_ISSUER must be the address of the provider, and start with https://; http:// is for one on this machine.",
    })
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  TRUST_PROXY: z
    .string()
    .refine((value) => readTrust(value) !== undefined, {
      message:
        "TRUST_PROXY must be how many proxies stand in front of this server, such as 1, or their addresses with commas between them: 10.0.0.7, 192.168.0.0/16, loopback.",
    })
    .optional(),
  PARLEY_LIMIT_REQUESTS: limit("PARLEY_LIMIT_REQUESTS", DEFAULT_LIMITS.requests),
  PARLEY_LIMIT_OPEN: limit("PARLEY_LIMIT_OPEN", DEFAULT_LIMITS.open),
  PARLEY_LIMIT_CONNECTIONS: limit("PARLEY_LIMIT_CONNECTIONS", DEFAULT_LIMITS.connections),
  PARLEY_LIMIT_SOCKETS: limit("PARLEY_LIMIT_SOCKETS", DEFAULT_LIMITS.sockets),
  PARLEY_LIMIT_WAITS: limit("PARLEY_LIMIT_WAITS", DEFAULT_LIMITS.waits),
  PARLEY_LIMIT_SUBSCRIPTIONS: limit("PARLEY_LIMIT_SUBSCRIPTIONS", DEFAULT_LIMITS.subscriptions),
  PARLEY_WORKER: z.enum(["on", "off"], "PARLEY_WORKER must be on or off.").default("on"),
  PARLEY_DEMO: z.enum(["on", "off"], "PARLEY_DEMO must be on or off.").default("on"),
  PARLEY_GRAPHIQL: z.enum(["on", "off"], "PARLEY_GRAPHIQL must be on or off.").optional(),
  PARLEY_POOL_CALLS: connections("PARLEY_POOL_CALLS", 1, DEFAULT_POOLS.calls),
  PARLEY_POOL_WAITS: connections("PARLEY_POOL_WAITS", 2, DEFAULT_POOLS.waits),
  PARLEY_POOL_GRAPHQL: connections("PARLEY_POOL_GRAPHQL", 1, DEFAULT_POOLS.graphql),
  PARLEY_POOL_WORKER: connections("PARLEY_POOL_WORKER", 2, DEFAULT_POOLS.worker),
  LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"], {
      message: "LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent.",
    })
    .default("info"),
  NODE_ENV: z.string().optional(),
});

export type Access = "open" | "keys";
export interface OidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: string;
}
export type Config = ReturnType<typeof readConfig>;

export function readConfig(env: NodeJS.ProcessEnv) {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = schema.safeParse(set);
  if (!parsed.success) throw new StartError(parsed.error.issues.map((issue) => issue.message).join("\n"));
  const c = parsed.data;
  return {
    port: c.PORT,
    host: c.HOST,
    access: c.PARLEY_ACCESS,
    databaseUrl: c.DATABASE_URL,
    dataDir: c.PARLEY_DATA,
    publicOrigins: c.PUBLIC_URL,
    oidc: oidcOf(c),
    mcpUrl: c.MCP_URL,
    trustProxy: (c.TRUST_PROXY && readTrust(c.TRUST_PROXY)) || trustNobody,
    limits: {
      requests: c.PARLEY_LIMIT_REQUESTS,
      open: c.PARLEY_LIMIT_OPEN,
      connections: c.PARLEY_LIMIT_CONNECTIONS,
      sockets: c.PARLEY_LIMIT_SOCKETS,
      waits: c.PARLEY_LIMIT_WAITS,
      subscriptions: c.PARLEY_LIMIT_SUBSCRIPTIONS,
    },
    settings: c.PARLEY_SETTINGS,
    worker: c.PARLEY_WORKER === "on",
    demo: c.PARLEY_DEMO === "on",
    graphiql: c.PARLEY_GRAPHIQL ? c.PARLEY_GRAPHIQL === "on" : c.NODE_ENV !== "production",
    pools: {
      calls: c.PARLEY_POOL_CALLS,
      waits: c.PARLEY_POOL_WAITS,
      graphql: c.PARLEY_POOL_GRAPHQL,
      worker: c.PARLEY_POOL_WORKER,
    },
    logLevel: c.LOG_LEVEL,
  };
}

/** All three, or none. */
function oidcOf(c: {
  OIDC_ISSUER?: string;
  OIDC_CLIENT_ID?: string;
  OIDC_CLIENT_SECRET?: string;
}): OidcConfig | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = c;
  if (issuer && clientId && clientSecret) return { issuer, clientId, clientSecret };
  const names = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"] as const;
  const missing = names.filter((name) => !c[name]);
  if (missing.length === names.length) return undefined;
  throw new StartError(
    `${missing.join(" and ")} must be set as well: OpenID Connect needs all of ${names.join(", ")}.`,
  );
}
