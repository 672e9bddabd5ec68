import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metric } from "../../testing/faults.ts";
import { connected } from "../../testing/postgres.ts";
import { type Answer, startTestServer, type TestServer, until } from "../../testing/server.ts";
import { type DemoResult, runDemo } from "../index.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

interface Message {
  cursor: number;
  type: string;
  handle: string;
  kind?: string;
  event?: string;
  to?: string[];
  reply_to_cursor?: number;
  expects_reply?: boolean;
  reason?: string;
  content: { text?: string };
}

/** A session as anybody sees it who looks at the page. */
async function look(ref: string) {
  const query =
    "query ($ref: String!) { sessionByRef(ref: $ref) { asJson continues { ref } continuations { nodes { ref } } } }";
  const response = await fetch(`${parley.url}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query, variables: { ref } }),
  });
  const { data } = (await response.json()) as Answer["body"];
  const { asJson, continues, continuations } = data.sessionByRef;
  return {
    session: asJson.session,
    participants: asJson.participants,
    messages: asJson.messages as Message[],
    doc: asJson.document.content as string,
    continues,
    continuedBy: continuations.nodes,
  };
}

/** Stands between the demo and Parley, and writes down what was called. */
async function startRecorder() {
  const calls: { door: "REST" | "MCP"; what: string }[] = [];
  const server = createServer(async (req, res) => {
    const body = await buffer(req);
    if (req.url?.startsWith("/mcp")) {
      const { method, params } = body.length > 0 ? JSON.parse(body.toString()) : {};
      if (method === "tools/call") calls.push({ door: "MCP", what: params.name });
    } else {
      calls.push({ door: "REST", what: `${req.method} ${req.url?.split("?")[0]}` });
    }
    // As a proxy does: the server answers only under its own address.
    const headers = { ...req.headers, host: new URL(parley.url).host };
    const onward = request(new URL(req.url ?? "/", parley.url), { method: req.method, headers });
    onward.on("response", (answer: IncomingMessage) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.on("error", () => res.destroy()).end(body);
    res.on("close", () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, calls, stop };
}

describe("the demo, from its first line to its last", () => {
  let recorder: Awaited<ReturnType<typeof startRecorder>>;
  let result: DemoResult;
  let first: Awaited<ReturnType<typeof look>>;
  let second: Awaited<ReturnType<typeof look>>;
  const lines: string[] = [];
  beforeAll(async () => {
    recorder = await startRecorder();
    // As on a server that nobody has changed, and faster than anybody watches it.
    await connected(parley.database.url(), (client) =>
      client.query("update parley.settings set value = default_value"),
    );
    result = await runDemo({ url: recorder.url, pace: 0, onStep: (line) => lines.push(line) });
    [first, second] = await Promise.all([look(result.ref), look(result.resumedRef)]);
  });
  afterAll(() => recorder.stop());

  const chat = (kind: string) => first.messages.filter((message) => message.kind === kind);
  const at = (cursor: number | undefined) => first.messages.find((message) => message.cursor === cursor);

  test("says first where to watch it, then every step in a line", () => {
    expect(lines[0]).toBe(`Watch it at ${parley.url}/s/${result.ref}`);
    expect(lines.slice(1).every((line) => /^[\w' ]+ → .+$/.test(line))).toBe(true);
    expect(lines).toContainEqual(expect.stringMatching(/^Platform → question to alexs-team: The gateway log/));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(220);
  });

  test("is played by three teams, in 40 to 50 messages, without a greeting or a thank-you", () => {
    expect(first.participants.map((team: { handle: string }) => team.handle)).toEqual([
      "alexs-team",
      "platform",
      "billing",
    ]);
    expect(first.messages.length).toBeGreaterThanOrEqual(40);
    expect(first.messages.length).toBeLessThanOrEqual(50);
    for (const { content } of [...first.messages, ...second.messages]) {
      expect(content.text ?? "").not.toMatch(/\b(hi|hello|thanks|thank you|great|sounds good)\b/i);
    }
  });

  test("asks by handle, and every question is answered by one it was meant for", () => {
    expect(chat("question").length).toBeGreaterThanOrEqual(4);
    for (const question of chat("question")) {
      expect(question.expects_reply).toBe(true);
      const replies = chat("answer").filter((answer) => answer.reply_to_cursor === question.cursor);
      expect(replies.map((answer) => answer.handle).toSorted()).toEqual(question.to?.toSorted());
    }
  });

  test("writes each decision under Decisions", () => {
    expect(chat("decision").length).toBeGreaterThanOrEqual(3);
    const decisions = first.doc.split("## Decisions")[1]?.split("\n## ")[0];
    for (const { content } of chat("decision")) expect(decisions).toContain(`- ${content.text}`);
  });

  test("keeps a document with goals, a table, code, and a plan whose steps get done", () => {
    expect(first.doc.match(/^## .*$/gm)).toEqual(["## Goals", "## Decisions", "## Notes / Working", "## Conclusion"]);
    expect(first.doc).toContain("| order | first charge |");
    expect(first.doc).toContain("```sql");
    const plan = first.doc.split("### Plan")[1]?.split("###")[0];
    expect(plan?.match(/- \[x\]/g)).toHaveLength(5);
    expect(plan).not.toContain("- [ ]");
  });

  test("divides the work by tasks and paths: each is done once, and what waits for others comes last", async () => {
    const { rows: tasks } = await connected(parley.database.url(), (client) =>
      client.query(
        `select t.status, p.handle from parley.tasks t join parley.sessions s on s.id = t.session_id
         join parley.participants p on p.session_id = s.id and p.id = t.done_by where s.ref = $1 order by t.task`,
        [result.ref],
      ),
    );
    expect(tasks.map(({ status, handle }) => [status, handle])).toEqual([
      ["done", "platform"],
      ["done", "alexs-team"],
      ["done", "billing"],
      ["done", "platform"],
    ]);
    expect(lines).toContainEqual(expect.stringMatching(/^Billing → refused as already_claimed: .*/));
    expect(first.messages.some(({ content }) => content.text?.includes("Alex's Team holds `checkout/`"))).toBe(true);
  });

  test("gives a part away to a session of its own, whose conclusion comes home", () => {
    const [spawned, concluded] = ["child_spawned", "child_concluded"].map((name) =>
      first.messages.find(({ event }) => event === name),
    );
    expect([spawned, concluded]).toMatchObject([
      { title: "Refunds for 41 orders" },
      { title: "Refunds for 41 orders", conclusion: expect.stringMatching(/^38 of 41 refunds are out/) },
    ]);
  });

  test("runs into a version conflict, a path of others and a stale post, and into nothing else", () => {
    expect(result.refusals).toEqual([
      { team: "Alex's Team", verb: "update_session_doc", code: "version_conflict" },
      { team: "Billing", verb: "claim_paths", code: "already_claimed" },
      { team: "Billing", verb: "post_message", code: "stale_post" },
    ]);
  });

  test("merges the refused version: the steps of both teams are in the plan, in the order they were written", () => {
    const plan = first.doc.split("### Plan")[1]?.split("###")[0] ?? "";
    expect([...plan.matchAll(/- \[x\] (\w+):/g)].map(([, whose]) => whose)).toEqual([
      "gateway",
      "gateway",
      "browser",
      "checkout",
      "adapter",
    ]);
  });

  test("says the stale post in other words, as a reply to what was missed", () => {
    const rephrased = first.messages.find(({ content }) => content.text?.startsWith("That fits"));
    expect(at(rephrased?.reply_to_cursor)?.content.text).toContain("`renewals`, the nightly job");
    expect(first.messages.some(({ content }) => content.text?.startsWith("The other 3 begin"))).toBe(false);
  });

  test("acknowledges silently: receipts, and no message for them", () => {
    const [alex, platform, billing] = first.participants;
    const decisions = chat("decision").map(({ cursor }) => cursor);
    expect(platform.acked_cursor).toBeGreaterThanOrEqual(decisions.at(-1) as number);
    expect(billing.acked_cursor).toBeGreaterThanOrEqual(decisions.at(-1) as number);
    expect(alex.acked_cursor).toBeGreaterThan(0);
  });

  test("changes the title with a reason, lets one team leave, and ends with a hand-off", () => {
    const events = first.messages.filter(({ type, event }) => type === "system" && !/^(task|child)/.test(event ?? ""));
    expect(events.map(({ event }) => event)).toEqual([
      "team_joined",
      "team_joined",
      "session_metadata_updated",
      "team_left",
      "session_concluded",
    ]);
    expect(events[2]?.reason).toContain("3 of the 41");
    expect(events[3]).toMatchObject({ handle: "platform" });
    expect(first.session).toMatchObject({
      status: "closed",
      title: "Customers are charged twice: checkout and renewals",
    });
    const conclusion = first.doc.split("## Conclusion")[1];
    for (const part of ["**Done.**", "**Open.**", "**Where to pick up.**"]) expect(conclusion).toContain(part);
  });

  test("goes on in a second session, which starts from what the first one left and ends with nothing open", () => {
    expect(second.continues).toEqual({ ref: result.ref });
    expect(first.continuedBy).toEqual([{ ref: result.resumedRef }]);
    expect(second.session.status).toBe("closed");
    expect(second.messages.length).toBeGreaterThanOrEqual(8);
    const decisions = second.doc.split("## Decisions")[1]?.split("\n## ")[0];
    expect(decisions).toContain("The key is made in the browser");
    expect(decisions).toContain("`<period>` is the first day that is paid for");
    expect(second.doc.split("## Conclusion")[1]).toContain("**Open.** Nothing.");
  });

  test("speaks MCP and REST about equally, with verbs and routes that this server has", async () => {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${parley.url}/mcp?format=json`)));
    const tools = new Set((await client.listTools()).tools.map(({ name }) => name));
    await client.close();
    const routes = Object.entries((await parley.get("/openapi.json")).body.paths).flatMap(([path, methods]) =>
      Object.keys(methods as object).map(
        (method) => new RegExp(`^${method} ${path.replace(/\{\w+\}/g, "[^/]+")}$`, "i"),
      ),
    );
    const by = (door: string) => recorder.calls.filter((call) => call.door === door).map(({ what }) => what);
    for (const tool of by("MCP")) expect(tools).toContain(tool);
    for (const route of by("REST"))
      expect(
        routes.some((known) => known.test(route)),
        route,
      ).toBe(true);
    for (const calls of [by("MCP"), by("REST")]) expect(calls.length).toBeGreaterThan(recorder.calls.length / 4);
    expect(by("MCP")).toContain("wait_for_messages");
    expect(by("REST")).toContain(`GET /api/sessions/${result.ref}/messages/wait`);
  });

  test("leaves no call behind", async () => {
    expect(await metric(parley.url, "parley_waiting_calls")).toBe(0);
  });
});

describe("a demo that does not come to its end", () => {
  test("is stopped in the middle: everybody leaves, and the session is closed with a word about it", async () => {
    const stop = new AbortController();
    let ref = "";
    const ending = runDemo({
      url: parley.url,
      pace: 0,
      signal: stop.signal,
      onSession: (session) => {
        ref = session.ref;
      },
      onStep: (line) => {
        if (line.startsWith("Billing → joins")) stop.abort(new Error("enough"));
      },
    });
    await expect(ending).rejects.toThrow("enough");
    const { session, participants, doc } = await look(ref);
    expect(participants.map((team: { left_at: string | null }) => team.left_at !== null)).toEqual([true, true, true]);
    expect(session.status).toBe("closed");
    expect(doc).toContain("The demo was stopped here");
    await until(async () => (await metric(parley.url, "parley_waiting_calls")) === 0, "no call to be waiting");
  });

  test("tells at which step it failed and why", async () => {
    let concluded: Promise<unknown> | undefined;
    const meddle = async (ref: string) => {
      const stranger = await parley.join({ ref } as never, "A stranger");
      await parley.post(`/sessions/${ref}/conclude`, { summary_section: "Enough." }, stranger);
    };
    const ending = runDemo({
      url: parley.url,
      pace: 0.05,
      onSession: ({ ref }) => {
        concluded = meddle(ref);
      },
    });
    await expect(ending).rejects.toThrow(/^The demo ended early, at "[\w' ]+ → .+": This session is concluded/);
    await concluded;
  });

  test("says so when there is no server", async () => {
    const gone = await startRecorder();
    gone.stop();
    await expect(runDemo({ url: gone.url, pace: 0 })).rejects.toThrow(
      /^The demo ended early, at "Alex's Team → creates .*ECONNREFUSED/,
    );
  });
});
