import { type Request, Router } from "express";
import type pg from "pg";
import type { Access } from "../config.ts";
import { notFound } from "../http/error-handler.ts";
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
    const session = access === "keys" ? named(req.params.session) : await invitationTo(pool, req.params.session);
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
  return router;
}

/** Where keys are asked for, the guide is for everybody and tells nobody which sessions there are: a ref is taken as it is. */
function named(ref: string): Invitation {
  if (!/^[a-z]{2,20}-[a-z]{2,20}-\d{1,8}$/.test(ref)) throw notFound();
  return { ref, status: "active" };
}

/** Nothing but the ref of a session that exists comes into a guide: agents obey it. */
async function invitationTo(pool: pg.Pool, session: string): Promise<Invitation> {
  checkTexts("session", session);
  const [found] = await query<Invitation>(pool, {
    name: "invitation",
    text: "select ref, status from parley_private.find_session($1)",
    values: [session],
  });
  return found as Invitation;
}
