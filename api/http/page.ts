import { join } from "node:path";
import { fileURLToPath } from "node:url";
import express from "express";

const BUILT = fileURLToPath(new URL("../../web/dist", import.meta.url));
/** The addresses of the app; the page itself decides what to show there. */
const ROUTES = ["/", "/s/:ref", "/settings", "/settings/:part", "/sign-in"];

/** The web app as `npm run build` leaves it. Where it was not built, these addresses are not found. */
export function pageRouter(built = BUILT) {
  const router = express.Router();
  // Their names hold a hash of what is in them.
  router.use("/assets", express.static(join(built, "assets"), { index: false, immutable: true, maxAge: "1y" }));
  router.use(express.static(built, { index: false, cacheControl: false, setHeaders: alwaysAsk }));
  router.get(ROUTES, (_req, res, next) => {
    alwaysAsk(res);
    res.sendFile("index.html", { root: built, cacheControl: false }, (err) => err && next());
  });
  return router;
}

const alwaysAsk = (res: express.Response) => res.setHeader("cache-control", "no-cache");
