import { ask } from "@/lib/ask.ts";
import { call, type Refusal } from "@/lib/call.ts";
import { graphql } from "@/lib/graphql.ts";

const PushQuery = graphql(`
  query Push($session: String) {
    pushKey
    myNotices(sessionId: $session)
  }
`);

const SubscribePush = graphql(`
  mutation SubscribePush($endpoint: String!, $p256dh: String!, $auth: String!) {
    subscribePush(input: { endpoint: $endpoint, p256Dh: $p256dh, auth: $auth }) {
      result
    }
  }
`);

const UnsubscribePush = graphql(`
  mutation UnsubscribePush($endpoint: String!) {
    unsubscribePush(input: { endpoint: $endpoint }) {
      result
    }
  }
`);

const NotifyMe = graphql(`
  mutation NotifyMe($kinds: [String], $session: String) {
    notifyMe(input: { kinds: $kinds, sessionId: $session }) {
      result
    }
  }
`);

export const canPush = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

export async function readPush(session: string | null) {
  const { data } = await ask(PushQuery, { session });
  const registration = await navigator.serviceWorker.getRegistration("/sw.js");
  const subscription = await registration?.pushManager.getSubscription();
  const kinds = (data?.myNotices ?? []).filter((kind) => kind !== null);
  return { key: data?.pushKey ?? undefined, kinds, on: Boolean(subscription) };
}

/** Asks the browser, then tells the server where it listens. */
export async function startPush(key: string): Promise<Refusal | undefined> {
  if ((await Notification.requestPermission()) !== "granted") {
    return { message: "The browser does not let this page notify you.", hint: "Its settings for this site say why." };
  }
  const registration = await navigator.serviceWorker.register("/sw.js");
  await navigator.serviceWorker.ready;
  const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys } = subscription.toJSON();
  const { refusal } = await call(SubscribePush, {
    endpoint: endpoint ?? "",
    p256dh: keys?.p256dh ?? "",
    auth: keys?.auth ?? "",
  });
  if (refusal) await subscription.unsubscribe();
  return refusal;
}

export async function stopPush(): Promise<Refusal | undefined> {
  const registration = await navigator.serviceWorker.getRegistration("/sw.js");
  const subscription = await registration?.pushManager.getSubscription();
  if (!subscription) return undefined;
  const { refusal } = await call(UnsubscribePush, { endpoint: subscription.endpoint });
  await subscription.unsubscribe();
  return refusal;
}

/** Null for a session: what is chosen for all of them. */
export const choose = (kinds: string[] | null, session: string | null) => call(NotifyMe, { kinds, session });
