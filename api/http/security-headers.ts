import type { Step } from "./handler.ts";

const HEADERS = {
  "content-security-policy":
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

const ENTRIES = Object.entries(HEADERS);

export const securityHeaders: Step = (_req, res, next) => {
  for (const [name, value] of ENTRIES) res.setHeader(name, value);
  next();
};
