import type { ServerResponse } from "node:http";
import { Router } from "express";
import { callerOf, hashSecret } from "../http/caller.ts";
import { methodNotAllowed } from "../http/error-handler.ts";
import type { Incoming } from "../http/handler.ts";
import { sendJson } from "../http/send.ts";
import { invalidArgument } from "../verbs/errors.ts";
import type { Ask } from "./ask.ts";
import { dropCookie, refuseUnencrypted, setCookie } from "./cookies.ts";
import { readFields } from "./fields.ts";
import type { Oidc } from "./oidc.ts";

export interface SignedIn {
  secret: string;
  seconds: number;
  person: object;
}

interface PeopleOptions {
  ask: Ask;
  oidc: Oidc | undefined;
}

/** Who somebody is, and how that begins and ends. Every rule of it is SQL; here it becomes a cookie. */
export function peopleRouter({ ask, oidc }: PeopleOptions): Router {
  const router = Router();
  const answers = (
    path: string,
    method: "get" | "post",
    answer: (req: Incoming, res: ServerResponse) => Promise<object>,
  ) => {
    router[method](path, async (req, res) => sendJson(res, JSON.stringify(await answer(req, res))));
    router.all(path, (req) => {
      throw methodNotAllowed(req, [method.toUpperCase()]);
    });
  };
  const signIn = async (req: Incoming, res: ServerResponse, by: string, args: (string | null)[]) => {
    const caller = callerOf(req);
    if (by !== "sign_in_by_name") refuseUnencrypted(caller.origin);
    const { secret, seconds, person } = await ask<SignedIn>(by, args, caller);
    res.setHeader("set-cookie", setCookie({ origin: caller.origin, value: secret, seconds }));
    return { person };
  };
  const signOut = (everywhere: boolean) => async (req: Incoming, res: ServerResponse) => {
    const caller = callerOf(req);
    const answer = await ask<object>("sign_out", [String(everywhere)], caller);
    res.setHeader("set-cookie", dropCookie(caller.origin));
    return answer;
  };

  answers("/me", "get", async (req) => {
    const me = await ask<{ sign_in: object }>("me", [], callerOf(req));
    return { ...me, sign_in: { ...me.sign_in, oidc: oidc?.name ?? null } };
  });
  answers("/link", "post", async (req) => ask("look_at_link", [hashOf(readFields(req, "token"))], callerOf(req)));
  answers("/sign-in", "post", async (req, res) => {
    const { token, name } = readFields(req, "token", "name");
    return signIn(req, res, "sign_in_by_link", [hashOf({ token }), name]);
  });
  answers("/name", "post", async (req, res) => signIn(req, res, "sign_in_by_name", [readFields(req, "name").name]));
  answers("/sign-out", "post", signOut(false));
  answers("/sign-out-everywhere", "post", signOut(true));
  if (oidc) router.use(oidc.router);
  return router;
}

function hashOf({ token }: { token: string | null }): string {
  if (!token) throw invalidArgument("token", "token is required.", "It stands in the link, after #token=.");
  return hashSecret(token);
}
