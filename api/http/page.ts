import { join } from "node:path";
import { fileURLToPath } from "node:url";
import express from "express";
import { onlyRead } from "./error-handler.ts";

const BUILT = fileURLToPath(new URL("../../web/dist", import.meta.url));
/** The addresses of the app; the page itself decides what to show there. */
const FOR_PROGRAMS = /^\/(api|mcp|graphql|auth|assets)(\/|$)/;
const ROUTES = [
  "/",
  "/inbox",
  "/boards",
  "/b/:board",
  "/runners",
  "/s/:ref",
  "/settings",
  "/settings/:part",
  "/sign-in",
];

/** The web app as `npm run build` leaves it. Where it was not built, these addresses are not found. */
export function pageRouter(built = BUILT) {
  const router = express.Router();
  // Their names hold a hash of what is in them.
  router.use(
    "/assets",
    express.static(join(built, "assets"), { index: false, redirect: false, immutable: true, maxAge: "1y" }),
  );
  router.use(express.static(built, { index: false, redirect: false, cacheControl: false, setHeaders: alwaysAsk }));
  router.get(ROUTES, (_req, res, next) => {
    alwaysAsk(res);
    res.sendFile("index.html", { root: built, cacheControl: false }, (err) => err && next());
  });
  return onlyRead(router);
}

/** For whoever looks with a browser at what is not there: the page, which says so. Programs are told in JSON. */
export function missingPage(built = BUILT): express.RequestHandler {
  return (req, res, next) => {
    if (!["GET", "HEAD"].includes(req.method) || !/\btext\/html\b/.test(req.headers.accept ?? "")) return next();
    if (FOR_PROGRAMS.test(req.path)) return next();
    alwaysAsk(res);
    res.status(404).sendFile("index.html", { root: built, cacheControl: false }, (err) => {
      if (!err) return;
      res.status(200);
      next();
    });
  };
}

const alwaysAsk = (res: express.Response) => res.setHeader("cache-control", "no-cache");
