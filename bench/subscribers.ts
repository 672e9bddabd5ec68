import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import WebSocket from "ws";
import { Connection, rest } from "./client.ts";
import type { Lab, Server, Team } from "./lab.ts";
import { quantile, type Report } from "./report.ts";

/** What the page subscribes to, and the least that anyone can. */
const QUERIES = {
  "the page's": `subscription FeedTicks($id: String!) {
    sessionFeed(sessionId: $id) { session {
      id ref title description status state createdAt closedAt lastSequence sessionDocVersion
      messages(last: 5) { nodes {
        sequence type content postedAt kind replyTo addressedTo expectsReply postedBy { handle teamName kind }
      } }
    } }
  }`,
  none: "subscription FeedTicks($id: String!) { sessionFeed(sessionId: $id) { __typename } }",
};
const SUBSCRIBERS = [1, 100];
const ROUNDS = 40;
// Longer than the pause that the server makes between two reads for the same subscribers.
const PAUSE_MS = 80;

/** From sending a post until every GraphQL subscriber of the session has been told, and what that costs. */
export async function subscribers(lab: Lab, report: Report) {
  const parley = await lab.startParley();
  await postsAndTicks(lab, parley, QUERIES["the page's"], 20);
  const rows: (string | number)[][] = [];
  for (const [fields, query] of Object.entries(QUERIES)) {
    for (const count of SUBSCRIBERS) {
      const { told, transactions, cpuMs } = await postsAndTicks(lab, parley, query, count);
      const [p50, p95] = [quantile(told, 0.5), quantile(told, 0.95)];
      rows.push([fields, String(count), p50, p95, transactions, cpuMs]);
      if (count < 100 || fields === "none") continue;
      report.goal("100 GraphQL subscribers told of a post, p95", p95, " ms", "≤", 30);
      report.goal("transactions of a post with 100 GraphQL subscribers", transactions, "", "≤", 8);
    }
  }
  await parley.stop();
  report.table(
    "GraphQL subscribers: from sending a post to the tick that shows it",
    ["fields", "subscribers", "p50 ms", "p95 ms", "transactions per post", "ms of Node per post"],
    rows,
  );
}

async function postsAndTicks(lab: Lab, parley: Server, query: string, count: number) {
  const { teams } = await lab.seat(1);
  const poster = teams[0] as Team;
  const posting = await Connection.open(parley.port);
  const all = await Promise.all(Array.from({ length: count }, () => subscribe(parley.port, query, poster.session)));
  const result = { told: [] as number[], transactions: 0, cpuMs: 0 };

  for (let round = 0; round < ROUNDS; round++) {
    await sleep(PAUSE_MS + Math.random() * 20);
    const before = await parley.usage();
    const ticks = all.map((subscriber) => subscriber.next());
    const start = performance.now();
    await posting.send(rest.post(poster, "Look."));
    for (const at of await Promise.all(ticks)) result.told.push(at - start);
    const after = await parley.usage();
    result.transactions += (after.transactions - before.transactions) / ROUNDS;
    result.cpuMs += (after.cpuMs - before.cpuMs) / ROUNDS;
  }
  for (const { socket } of all) socket.terminate();
  posting.close();
  return result;
}

/** A socket of its own, as each page has, with one subscription that has shown how things are. */
async function subscribe(port: number, query: string, id: string) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, "graphql-transport-ws");
  await once(socket, "open");
  socket.send('{"type":"connection_init"}');
  await once(socket, "message");
  const next = async () => {
    const [data] = (await once(socket, "message")) as [Buffer];
    const at = performance.now();
    if (data.includes('"errors"')) throw new Error(`a subscription failed: ${data}`);
    return at;
  };
  const first = next();
  socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query, variables: { id } } }));
  await first;
  return { socket, next };
}
