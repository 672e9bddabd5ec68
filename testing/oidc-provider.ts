import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

export interface Account {
  sub: string;
  name?: string;
  email?: string;
}

export const CLIENT = { clientId: "parley", clientSecret: "a secret of the client" };

interface State {
  /** Whom the provider takes everybody for who comes; undefined: for somebody who says no. */
  account: Account | undefined;
  /** Where people come back to: known when the server of the test listens. */
  redirectUri: string;
  /** What browsers were sent here with. */
  asked: URL[];
}

/** A real OpenID Connect provider on this machine. */
export async function startProvider() {
  const server = createServer((req, res) => void answer(req, res)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state: State = { account: undefined, redirectUri: "", asked: [] };
  let made: Provider | undefined;
  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    made ??= createProvider(issuer, state);
    const url = new URL(req.url ?? "/", issuer);
    if (url.pathname === "/auth") state.asked.push(url);
    if (!url.pathname.startsWith("/interaction/")) return made.callback()(req, res);
    const { account } = state;
    const said = account ? { login: { accountId: account.sub } } : { error: "access_denied" };
    await made.interactionFinished(req, res, said);
  };
  return {
    config: { issuer, ...CLIENT },
    state,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createProvider(issuer: string, state: State): Provider {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [state.redirectUri],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    jwks: { keys: [privateKey.export({ format: "jwk" })] },
    cookies: { keys: [randomBytes(16).toString("hex")] },
    claims: { openid: ["sub"], profile: ["name"], email: ["email"] },
    features: { devInteractions: { enabled: false } },
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    pkce: { required: () => true },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ ...state.account, sub: id }) }),
    // Of this one client nobody is asked twice.
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId });
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
  });
  return provider;
}
