import type { Step } from "./handler.ts";
import { originOf } from "./origin.ts";

const HEADERS = {
  "content-security-policy":
    "default-src 'self'; font-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

const ENTRIES = Object.entries(HEADERS);

/** Whoever came by https is to come by it from now on. After the check of the origin, which tells. */
export const strictTransport: Step = (req, res, next) => {
  if (originOf(req).startsWith("https:")) res.setHeader("strict-transport-security", "max-age=31536000");
  next();
};

export const securityHeaders: Step = (_req, res, next) => {
  for (const [name, value] of ENTRIES) res.setHeader(name, value);
  next();
};
