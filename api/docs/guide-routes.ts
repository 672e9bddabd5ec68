import { type Request, Router } from "express";
import type pg from "pg";
import type { Access } from "../config.ts";
import { callerOf, shownBy } from "../http/caller.ts";
import { onlyRead } from "../http/error-handler.ts";
import { originOf } from "../http/origin.ts";
import type { PublicAddress } from "../http/public-address.ts";
import { query } from "../postgres/database.ts";
import type { LiveCatalogue } from "../verbs/catalogue.ts";
import { checkTexts } from "../verbs/texts.ts";
import { docsPage } from "./docs-page.ts";
import { guide, type Invitation, llmsTxt, shellLines } from "./guide.ts";
import { openapi } from "./openapi.ts";

interface GuideOptions {
  pool: pg.Pool;
  access: Access;
  catalogue: LiveCatalogue;
  publicAddress: PublicAddress;
}

/** What tells how to use this server: the guide, OpenAPI and its page, llms.txt. */
export function guideRouter({ pool, access, catalogue, publicAddress }: GuideOptions): Router {
  const router = Router();
  const here = (req: Request) => {
    const origin = originOf(req);
    return { base: publicAddress.base(origin), mcpUrl: publicAddress.mcpUrl(origin), asksForKeys: access === "keys" };
  };
  router.get("/AGENTS.md", (req, res) => {
    res.type("text/markdown").send(guide(catalogue.current, here(req)));
  });
  router.get("/s/:session/AGENTS.md", async (req, res) => {
    const session = await invitationTo(pool, req);
    res.type("text/markdown").send(guide(catalogue.current, here(req), session));
  });
  router.get("/llms.txt", (req, res) => {
    res.type("text/plain").send(llmsTxt(here(req)));
  });
  router.get("/parley.sh", (req, res) => {
    res
      .type("text/plain")
      .setHeader("cache-control", "no-store")
      .send(shellLines(here(req)));
  });
  router.get("/api/openapi.json", (req, res) => {
    res.json(openapi(catalogue.current, here(req).base));
  });
  router.get("/docs", (req, res) => {
    res.send(docsPage(catalogue.current, here(req).base));
  });
  return onlyRead(router);
}

/** Nothing but a ref comes into a guide: agents obey it. SQL says whether there is such a session for this caller. */
async function invitationTo(pool: pg.Pool, req: Request<{ session: string }>): Promise<Invitation> {
  const { session } = req.params;
  checkTexts("session", session);
  const caller = callerOf(req);
  const [found] = await query<{ guide: Invitation }>(pool, {
    name: "guide_to",
    text: `select case when parley_private.begin_call($1, $2)
      then to_json(parley_private.guide_to($3)) end as guide`,
    values: [caller.teamHash, shownBy(caller), session],
  });
  return found?.guide as Invitation;
}
