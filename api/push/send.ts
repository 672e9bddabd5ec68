import http from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import webpush from "web-push";
import { isPublic, lookupPublic } from "./addresses.ts";

const WITHIN_MS = 5_000;
const AT_ONCE = 20;
/** What a push service answers with when a browser is there no more. */
const NOBODY = 410;
const GONE = [404, NOBODY];
const KEEP_SECONDS = 3_600;
/** What the protocol wants said of whoever sends; there is nobody to write to. */
const SUBJECT = "mailto:parley@localhost";

type Query = <T extends object>(text: string, values?: unknown[]) => Promise<{ rows: T[] }>;

interface Push {
  endpoint: string;
  p256dh: string;
  auth: string;
  path: string;
}

/** A pair for this database, unless it has one. */
export async function pushKeys(query: Query): Promise<webpush.VapidKeys> {
  const { publicKey, privateKey } = webpush.generateVAPIDKeys();
  const { rows } = await query<{ public_key: string; private_key: string }>(
    "select public_key, private_key from parley_private.push_keys($1, $2)",
    [publicKey, privateKey],
  );
  const [keys] = rows;
  if (!keys) throw new Error("there are no keys for notifications");
  return { publicKey: keys.public_key, privateKey: keys.private_key };
}

interface SendOptions {
  /** Ends what is under way. */
  signal?: AbortSignal;
  /** For tests, whose push service is on this machine. */
  mayReachLoopback?: boolean;
}

/** Tells the browsers of people that something waits, and where; what it says, they read here. */
export async function sendPushes(query: Query, { signal, mayReachLoopback = false }: SendOptions = {}): Promise<void> {
  const { rows } = await query<Push>("select * from parley_private.take_pushes()");
  if (rows.length === 0) return;
  const keys = await pushKeys(query);
  const pushes = rows.values();
  const oneAfterAnother = async () => {
    for (const push of pushes) {
      const gone = AbortSignal.any([AbortSignal.timeout(WITHIN_MS), ...(signal ? [signal] : [])]);
      const status = await send(push, keys, mayReachLoopback, gone).catch(() => 0);
      if (GONE.includes(status)) await query("select parley_private.drop_push($1)", [push.endpoint]);
      if (signal?.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, oneAfterAnother));
}

async function send(push: Push, keys: webpush.VapidKeys, mayReachLoopback: boolean, signal: AbortSignal) {
  const url = new URL(push.endpoint);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (!mayReachLoopback && (url.protocol !== "https:" || (isIP(host) && !isPublic(host)))) {
    throw new Error("no push service is there");
  }
  const sealed = seal(push, keys);
  if (!sealed) return NOBODY;
  const { headers, body } = sealed;
  return new Promise<number>((resolve, reject) => {
    const request = (url.protocol === "https:" ? https : http).request(
      url,
      // The signal, not the time-out of the socket: who sends a byte now and then is never silent.
      { method: "POST", headers, signal, agent: false, ...(!mayReachLoopback && { lookup: lookupPublic }) },
      (response) => {
        resolve(response.statusCode ?? 0);
        // Nothing of what it says is wanted, however much it is.
        response.destroy();
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

/** Undefined for a browser whose keys are none: nothing can ever be said to it. */
function seal({ endpoint, p256dh, auth, path }: Push, keys: webpush.VapidKeys) {
  try {
    return webpush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, JSON.stringify({ path }), {
      vapidDetails: { subject: SUBJECT, ...keys },
      TTL: KEEP_SECONDS,
      urgency: "high",
    });
  } catch {
    return undefined;
  }
}
