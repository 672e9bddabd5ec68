import { type Response, Router } from "express";
import type { Configuration } from "openid-client";
import type { Logger } from "pino";
import type { OidcConfig } from "../config.ts";
import { callerOf, cookieNamed } from "../http/caller.ts";
import type { Incoming } from "../http/handler.ts";
import { isLoopback, originOf } from "../http/origin.ts";
import { ApiError } from "../verbs/errors.ts";
import type { Ask } from "./ask.ts";
import { dropCookie, refuseUnencrypted, setCookie } from "./cookies.ts";
import { createErrands, ERRAND_SECONDS } from "./oidc-state.ts";
import type { SignedIn } from "./routes.ts";

const CALLBACK = "/auth/oidc/callback";
const SUFFIX = "-oidc";
const PROVIDER_WITHIN_S = 10;

interface OidcOptions {
  config: OidcConfig;
  ask: Ask;
  log: Logger;
}

export type Oidc = ReturnType<typeof createOidc>;

/** Signing in by OpenID Connect: the provider says who somebody is, SQL says whether they may come in. */
export function createOidc({ config: { issuer, clientId, clientSecret }, ask, log }: OidcOptions) {
  const errands = createErrands(clientSecret);
  const router = Router();
  const provider = once(() => discover(issuer, clientId, clientSecret));

  router.get("/oidc", async (req, res) => {
    const origin = originOf(req);
    refuseUnencrypted(origin);
    const oidc = await import("openid-client");
    const errand = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      to: ownPath(req.query.to, origin),
    };
    const found = await provider().catch((err) => failed(log, res, err));
    if (!found) return;
    const there = oidc.buildAuthorizationUrl(found, {
      redirect_uri: origin + CALLBACK,
      scope: "openid profile email",
      code_challenge: await oidc.calculatePKCECodeChallenge(errand.verifier),
      code_challenge_method: "S256",
      state: errand.state,
      nonce: errand.nonce,
    });
    const value = errands.write(errand);
    res.setHeader("set-cookie", setCookie({ origin, value, seconds: ERRAND_SECONDS, suffix: SUFFIX }));
    go(res, there.href);
  });

  router.get("/oidc/callback", async (req, res) => {
    const caller = callerOf(req);
    const done = dropCookie(caller.origin, SUFFIX);
    res.setHeader("set-cookie", done);
    try {
      const errand = errands.read(cookieNamed(req, caller.origin, SUFFIX));
      if (!errand)
        throw new ApiError(400, "invalid_argument", "Nobody has set out from this browser within ten minutes.", {
          hint: "Begin again on the sign-in page.",
        });
      const who = await identify(await provider(), req, caller.origin, errand);
      const { secret, seconds } = await ask<SignedIn>("sign_in_by_oidc", who, caller);
      res.setHeader("set-cookie", [done, setCookie({ origin: caller.origin, value: secret, seconds })]);
      go(res, errand.to);
    } catch (err) {
      failed(log, res, err);
    }
  });

  return { router, name: new URL(issuer).host };
}

/** Subject, name and address, as the provider vouches for them. */
async function identify(
  provider: Configuration,
  req: Incoming & { originalUrl: string },
  origin: string,
  { verifier, state, nonce }: { verifier: string; state: string; nonce: string },
): Promise<(string | null)[]> {
  const oidc = await import("openid-client");
  const tokens = await oidc.authorizationCodeGrant(provider, new URL(req.originalUrl, origin), {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims) throw new Error("the provider gave no ID token");
  const { userinfo_endpoint } = provider.serverMetadata();
  const more =
    claims.name === undefined && userinfo_endpoint
      ? await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub)
      : {};
  const { name, preferred_username, email } = { ...claims, ...more } as Record<string, unknown>;
  return [`${claims.iss} ${claims.sub}`, text(name) ?? text(preferred_username), text(email)];
}

const text = (value: unknown): string | null =>
  typeof value === "string" && value.isWellFormed() && !value.includes("\0") ? value : null;

async function discover(issuer: string, clientId: string, secret: string): Promise<Configuration> {
  const oidc = await import("openid-client");
  const options = {
    timeout: PROVIDER_WITHIN_S,
    // Checked at the start: plain http is for a provider on this machine.
    ...(isLoopback(issuer) && { execute: [oidc.allowInsecureRequests] }),
  };
  const methods = (found: Configuration) => found.serverMetadata().token_endpoint_auth_methods_supported;
  const found = await oidc.discovery(new URL(issuer), clientId, secret, oidc.ClientSecretPost(secret), options);
  if (methods(found)?.includes("client_secret_post")) return found;
  return oidc.discovery(new URL(issuer), clientId, secret, oidc.ClientSecretBasic(secret), options);
}

/** The provider may be away when the server starts: it is asked when somebody comes, until it has answered. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= work().catch((error) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}

/** A page of this server, and of no other: a path that begins with two slashes would be one. */
function ownPath(to: unknown, origin: string): string {
  if (typeof to !== "string" || !URL.canParse(to, origin)) return "/";
  const url = new URL(to, origin);
  return url.origin === origin ? `${url.pathname.replace(/^\/+/, "/")}${url.search}${url.hash}` : "/";
}

function go(res: Response, to: string): void {
  res.setHeader("cache-control", "no-store");
  res.redirect(302, to);
}

/** The browser is on its way: it is led to the page that can say what went wrong. The provider's words are for the log. */
function failed(log: Logger, res: Response, err: unknown): undefined {
  const { code = "", error = "" } = err as { code?: string; error?: string };
  const why = { PT403: "not_among_us", access_denied: "denied" }[/^PT/.test(code) ? code : error] ?? "failed";
  if (why === "failed") log.warn({ err }, "somebody could not sign in by OpenID Connect");
  go(res, `/sign-in#error=${why}`);
}
