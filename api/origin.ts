import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import type { NextFunction, Request, Response } from "express";
import { ApiError } from "./errors.ts";
import type { PublicAddress } from "./public-address.ts";

/** The address that a request came to, e.g. http://127.0.0.1:7423. */
export function originOf(req: IncomingMessage): string {
  const scheme = "encrypted" in req.socket && req.socket.encrypted ? "https" : "http";
  const origin = `${scheme}://${req.headers.host}`;
  return URL.canParse(origin) ? new URL(origin).origin : `${scheme}://localhost`;
}

const nameOf = (host: string | undefined) => {
  try {
    return new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, "");
  } catch {
    return undefined;
  }
};

/** An address in figures, not a name that only begins like one. */
const isLoopback = (name: string) =>
  name === "localhost" ||
  name.endsWith(".localhost") ||
  name === "::1" ||
  (isIP(name) === 4 && name.startsWith("127."));

/**
 * A web page that someone has open must not reach a Parley on that machine or network: neither from a foreign
 * origin, nor by a name of its own that it points here. An address in figures cannot be pointed elsewhere.
 */
export function createOriginCheck(publicAddress: PublicAddress) {
  const knownHost = (host: string | undefined) => {
    const name = nameOf(host);
    return (
      name !== undefined &&
      (isLoopback(name) || isIP(name) !== 0 || name === publicAddress.hostname || name === hostname().toLowerCase())
    );
  };
  const foreignOrigin = (req: IncomingMessage) => {
    const { origin, host } = req.headers;
    if (origin === undefined) return false;
    const from = URL.canParse(origin) ? new URL(origin) : undefined;
    const name = nameOf(from?.host);
    if (!from || !name) return true;
    return !(isLoopback(name) || name === publicAddress.hostname || (from.host === host && knownHost(host)));
  };
  return {
    allows: (req: IncomingMessage) => knownHost(req.headers.host) && !foreignOrigin(req),
    /** On every route. */
    origin(req: Request, _res: Response, next: NextFunction) {
      if (!foreignOrigin(req)) return next();
      throw new ApiError(403, "forbidden_origin", "Requests from this web page are not accepted.", {
        hint: "Open the page at the address in the mcp_url setting, or set MCP_URL to the address you use.",
      });
    },
    /** Where no credential guards what can be read. */
    host(req: Request, _res: Response, next: NextFunction) {
      if (knownHost(req.headers.host)) return next();
      throw new ApiError(403, "forbidden_origin", "This server does not answer to that host name.", {
        hint: "Use its IP address, or set the mcp_url setting (at first start: MCP_URL) to the address you use.",
      });
    },
  };
}
