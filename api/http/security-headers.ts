import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Step } from "./handler.ts";
import { originOf } from "./origin.ts";

const HEADERS = {
  "content-security-policy":
    "default-src 'self'; font-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Whoever came by https is to come by it from now on. */
const OVER_HTTPS = { ...HEADERS, "strict-transport-security": "max-age=31536000" };

/**
 * Whatever answers, and however: they go into the head when it is written, together with its own, which costs less than to set
 * each before. By then the check of the origin has told how the request came. What an answer says itself stands.
 */
export const securityHeaders: Step = (req, res, next) => {
  const write = res.writeHead.bind(res) as (status: number, ...rest: unknown[]) => ServerResponse;
  const writeHead = (status: number, ...rest: unknown[]) => {
    const headers: OutgoingHttpHeaders = originOf(req).startsWith("https:") ? OVER_HTTPS : HEADERS;
    const [own] = rest;
    if (res.getHeaderNames().length === 0 && isPlain(own)) return write(status, { ...headers, ...own });
    for (const [name, value] of Object.entries(headers)) if (!res.hasHeader(name)) res.setHeader(name, value as string);
    return write(status, ...rest);
  };
  res.writeHead = writeHead as never;
  next();
};

const isPlain = (headers: unknown): headers is OutgoingHttpHeaders =>
  typeof headers === "object" && headers !== null && !Array.isArray(headers);
