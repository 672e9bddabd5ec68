import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Router } from "express";
import { onlyRead } from "../http/error-handler.ts";
import { originOf } from "../http/origin.ts";
import type { PublicAddress } from "../http/public-address.ts";
import { ApiError } from "../verbs/errors.ts";

const BUNDLE = fileURLToPath(new URL("../../cli/dist/parley.mjs", import.meta.url));
const PLACEHOLDER = 'globalThis.PARLEY_SERVED_FROM = "";';

/** The parley command as one file, for machines that have Node and nothing else. It knows where it came from. */
export function commandRouter(publicAddress: PublicAddress, bundle = BUNDLE): Router {
  const router = Router();
  router.get("/parley.mjs", async (req, res) => {
    const source = await readFile(bundle, "utf8").catch(() => {
      throw new ApiError(404, "not_built", "The parley command is not built on this server.", {
        hint: "Whoever runs it: npm run build. Until then use MCP or curl, as GET /AGENTS.md explains.",
      });
    });
    const servedFrom = JSON.stringify(publicAddress.mcpUrl(originOf(req)));
    res.setHeader("cache-control", "no-store");
    res.type("text/javascript").send(source.replace(PLACEHOLDER, () => PLACEHOLDER.replace('""', () => servedFrom)));
  });
  return onlyRead(router);
}
