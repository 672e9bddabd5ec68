import http from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import webpush from "web-push";
import { isPublic, lookupPublic } from "./addresses.ts";

const WITHIN_MS = 5_000;
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

/** Tells the browsers of people that something waits, and where; what it says, they read here. */
export async function sendPushes(query: Query, mayReachLoopback = false): Promise<void> {
  const { rows } = await query<Push>("select * from parley_private.take_pushes()");
  if (rows.length === 0) return;
  const keys = await pushKeys(query);
  await Promise.all(
    rows.map(async (push) => {
      const status = await send(push, keys, mayReachLoopback).catch(() => 0);
      if (status === 404 || status === 410) await query("select parley_private.drop_push($1)", [push.endpoint]);
    }),
  );
}

function send({ endpoint, p256dh, auth, path }: Push, keys: webpush.VapidKeys, mayReachLoopback: boolean) {
  const url = new URL(endpoint);
  if (!mayReachLoopback && (url.protocol !== "https:" || (isIP(url.hostname) && !isPublic(url.hostname)))) {
    throw new Error("no push service is there");
  }
  const { headers, body } = webpush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify({ path }),
    {
      vapidDetails: { subject: SUBJECT, ...keys },
      TTL: KEEP_SECONDS,
      urgency: "high",
    },
  );
  return new Promise<number>((resolve, reject) => {
    const request = (url.protocol === "https:" ? https : http).request(
      url,
      { method: "POST", headers, timeout: WITHIN_MS, ...(!mayReachLoopback && { lookup: lookupPublic }) },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    request.on("timeout", () => request.destroy(new Error("the push service does not answer")));
    request.on("error", reject);
    request.end(body);
  });
}
