import type { IncomingMessage } from "node:http";
import { isIPv4 } from "node:net";
import { ApiError, invalidArgument } from "../verbs/errors.ts";
import { forwardedScheme } from "./client-address.ts";
import type { Step } from "./handler.ts";

interface Trusted {
  origin: string;
  loopback: boolean;
}

interface Arrival {
  origin: string;
  fromHere: boolean;
}

// On the request itself, as in client-address.ts.
const ARRIVAL = Symbol("arrival");
type Arrived = IncomingMessage & { [ARRIVAL]?: Arrival };

/** The trusted address that a request came to, e.g. https://parley.example.com. */
export const originOf = (req: IncomingMessage): string => (req as Arrived)[ARRIVAL]?.origin ?? "http://localhost";

/** Whether a request was sent on this machine, as far as can be told. */
export const isFromHere = (req: IncomingMessage): boolean => (req as Arrived)[ARRIVAL]?.fromHere ?? false;

const AUTHORITY = /^(\[[0-9a-f:]+\]|[a-z0-9._-]+)(?::(?:0|[1-9]\d{0,4}))?$/;
const FORWARDED = /^(x-forwarded.*|forwarded|via|x-real-ip)$/;
const JSON_TYPE = /^application\/(json|graphql|[\w.-]+\+json)\s*(;|$)/i;
/** What a web page of another origin cannot send unasked. */
export const isJson = (req: IncomingMessage) => JSON_TYPE.test(req.headers["content-type"] ?? "");
const MOST_KNOWN = 100;
const HINT =
  "Use http://localhost with the server's port on its own machine. For any other address, whoever runs the server sets PUBLIC_URL to it.";

/** What scheme, host and port mean, if they are written as a browser writes them: other spellings are nobody's origin. */
export function toOrigin(scheme: string, authority: string): string | undefined {
  const name = AUTHORITY.exec(authority.toLowerCase())?.[1];
  const address = `${scheme}//${authority}`;
  if (name === undefined || !URL.canParse(address)) return undefined;
  const { hostname, origin } = new URL(address);
  return hostname === name ? origin : undefined;
}

const isLoopbackName = (name: string) =>
  name === "localhost" || name === "[::1]" || (isIPv4(name) && name.startsWith("127."));
export const isLoopback = (origin: string) => isLoopbackName(new URL(origin).hostname);
export const isLoopbackAddress = (address = "") => address === "::1" || isLoopbackName(address.replace(/^::ffff:/, ""));

/**
 * A web page that someone has open must not reach a Parley on that machine or network: neither from an origin of its own,
 * nor by a name of its own that it points here. Whom to trust comes from the environment alone.
 */
export function createOriginCheck(publicOrigins: string[]) {
  const ownLoopback = (localPort: number | undefined, authority: string) => {
    const origin = toOrigin("http:", authority);
    const port = origin && Number(new URL(origin).port || 80);
    return origin && isLoopback(origin) && port === localPort ? origin : undefined;
  };
  const find = (localPort: number | undefined, authority: string, scheme?: string) =>
    publicOrigins.find((origin) => {
      const { protocol } = new URL(origin);
      return (scheme ?? protocol) === protocol && toOrigin(protocol, authority) === origin;
    }) ?? (scheme === "https:" ? undefined : ownLoopback(localPort, authority));

  /** Nearly all requests name the same few addresses, and to take one apart costs as much as much of a call. */
  const known = new Map<string, Trusted>();
  const trusted = ({ socket: { localPort } }: IncomingMessage, authority: string, scheme?: string) => {
    const key = `${localPort} ${scheme} ${authority}`;
    const before = known.get(key);
    if (before) return before;
    const origin = find(localPort, authority, scheme);
    const found = origin === undefined ? undefined : { origin, loopback: isLoopback(origin) };
    // Of those that are trusted there are few, but many ways to write them.
    if (found && known.size < MOST_KNOWN) known.set(key, found);
    return found;
  };

  /** A request line may hold the address once more, in front of the path. */
  const namedElsewhere = (req: IncomingMessage, origin: string) => {
    const [, authority] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(req.url ?? "") ?? [];
    return authority !== undefined && trusted(req, authority)?.origin !== origin;
  };

  /** Refuses a request that is not for this server, or not from one of its own pages. */
  function admit(req: IncomingMessage): void {
    const [host, ...more] = req.headersDistinct.host ?? [];
    if (host === undefined || more.length > 0)
      throw invalidArgument("Host", "A request names one Host, the address that it is for.", HINT);
    const scheme = forwardedScheme(req);
    const at = (scheme && trusted(req, host, scheme)) || trusted(req, host);
    if (!at || namedElsewhere(req, at.origin))
      throw new ApiError(403, "forbidden_origin", "This server does not answer to that host name.", { hint: HINT });

    const { origin: page } = req.headers;
    const [, pageScheme, authority] = /^(https?:)\/\/(.*)$/.exec(page ?? "") ?? [];
    const from = authority === undefined ? undefined : trusted(req, authority, pageScheme);
    if (page !== undefined && !from)
      throw new ApiError(403, "forbidden_origin", "Requests from this web page are not accepted.", { hint: HINT });
    if (page !== undefined && req.method === "POST" && !isJson(req))
      throw new ApiError(403, "forbidden_origin", "A web page may send nothing but JSON.", {
        hint: "Send the header Content-Type: application/json.",
      });

    (req as Arrived)[ARRIVAL] = {
      origin: at.origin,
      fromHere: at.loopback && from?.loopback !== false && sentFromHere(req),
    };
  }

  return {
    admit,
    /** The same as a handler, before all others. */
    check: ((req, _res, next) => {
      admit(req);
      next();
    }) satisfies Step as Step,
  };
}

/** HTTP/1.0 too is a sign of a proxy: nginx, left to itself, speaks it and says nothing of whom it speaks for. */
const sentFromHere = (req: IncomingMessage) =>
  isLoopbackAddress(req.socket.remoteAddress) &&
  req.httpVersion === "1.1" &&
  !Object.keys(req.headers).some((name) => FORWARDED.test(name));
