import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../verbs/errors.ts";
import { clientAddress } from "./client-address.ts";
import type { Step } from "./handler.ts";
import { isFromHere, isJson, originOf } from "./origin.ts";

/** Who is calling, as far as the request shows it. SQL is told hashes and decides: secrets could land in logs. */
export interface Caller {
  teamHash: string;
  keyHash: string;
  cookieHash: string;
  /** The address that the request came to, and the one it came from. */
  origin: string;
  address: string;
  /** Whether it was sent on this machine. */
  local: boolean;
}

export const hashSecret = (secret: string | undefined) => (secret ? hash("sha256", secret) : "");

const HASHED = Symbol("hashed");
type Hashing = Socket & { [HASHED]?: { secret: string; hash: string } };

/** A team sends its secret with every call, mostly on a connection of its own. */
function hashTeam(socket: Hashing, secret: string | undefined): string {
  if (!secret) return "";
  if (socket[HASHED]?.secret !== secret) socket[HASHED] = { secret, hash: hashSecret(secret) };
  return socket[HASHED].hash;
}

/** What a caller has shown beside its team_id, and from where, in the order in which caller_shows in SQL takes it apart. */
export const shownBy = ({ keyHash, cookieHash, address, local, origin }: Caller, ...secretHashes: string[]) =>
  [keyHash, cookieHash, address, local ? "on" : "", origin, ...secretHashes].join(" ");

export const NOBODY: Caller = { teamHash: "", keyHash: "", cookieHash: "", origin: "", address: "", local: false };

/** Made here for every surface. MCP may give the team_id as an argument, WebSockets as a parameter of the connection. */
export function callerOf(req: IncomingMessage, teamId = one(req.headers["x-team-id"])): Caller {
  return {
    teamHash: hashTeam(req.socket, teamId),
    keyHash: hashSecret(keyOf(req)),
    cookieHash: hashSecret(cookieOf(req)),
    origin: originOf(req),
    address: clientAddress(req),
    local: isFromHere(req),
  };
}

const one = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

/** Some MCP clients keep the header Authorization for themselves. */
function keyOf({ headers }: IncomingMessage): string | undefined {
  return bearer(headers.authorization) ?? one(headers["x-mcp-token"]);
}

export const bearer = (header = "") => /^bearer +(\S+) *$/i.exec(header)?.[1];

/** Bound to the host, where there is https to prove that it was set by it. */
export const cookieName = (origin: string) => (origin.startsWith("https:") ? "__Host-parley" : "parley");

export function cookieNamed({ headers }: IncomingMessage, origin: string, suffix = ""): string | undefined {
  const name = `${cookieName(origin)}${suffix}=`;
  return headers.cookie
    ?.split(/; */)
    .find((pair) => pair.startsWith(name))
    ?.slice(name.length);
}

/** For what asks too late who is calling: a cookie that another page has sent along is refused. */
export const refuseForeignCookies: Step = (req, _res, next) => {
  cookieOf(req);
  next();
};

/** A page of another origin could send a person's cookie along; it cannot send our origin, nor JSON without being asked. */
function cookieOf(req: IncomingMessage): string | undefined {
  const origin = originOf(req);
  const cookie = cookieNamed(req, origin);
  if (!cookie) return undefined;
  const upgrades = req.headers.upgrade !== undefined;
  if (req.method !== "GET" || upgrades) {
    if (req.headers.origin !== origin || !(upgrades || isJson(req)))
      throw new ApiError(
        403,
        "forbidden_origin",
        "A signed-in person writes from a page of this server, and in JSON.",
        {
          hint: "Send the header Origin with the server's own address, and Content-Type: application/json.",
        },
      );
  }
  return cookie;
}
