import { resolve } from "node:path";
import { z } from "zod";
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
  MCP_URL: url("MCP_URL", ["http:", "https:"]).optional(),
  PARLEY_ACCESS: z
    .literal("open", "PARLEY_ACCESS must be open: access keys are not part of this version.")
    .default("open"),
  PARLEY_WORKER: z.enum(["on", "off"], "PARLEY_WORKER must be on or off.").default("on"),
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

export type Config = ReturnType<typeof readConfig>;

export function readConfig(env: NodeJS.ProcessEnv) {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = schema.safeParse(set);
  if (!parsed.success) throw new StartError(parsed.error.issues.map((issue) => issue.message).join("\n"));
  const c = parsed.data;
  return {
    port: c.PORT,
    host: c.HOST,
    databaseUrl: c.DATABASE_URL,
    dataDir: c.PARLEY_DATA,
    mcpUrl: c.MCP_URL,
    worker: c.PARLEY_WORKER === "on",
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
