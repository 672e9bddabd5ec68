import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { createClient } from "graphql-ws";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { connected } from "../../../testing/postgres.ts";
import { sendRaw } from "../../../testing/raw-http.ts";
import { startTestServer, type TestServer, until } from "../../../testing/server.ts";
import { isLink } from "../../http/public-address.ts";
import { migrate } from "../../postgres/migrate.ts";

const PUBLIC = "https://parley.example.com";
const UPDATE = `mutation ($name: String!, $value: JSON!) { updateSetting(input: { name: $name, value: $value }) { result { value } } }`;

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer({ publicOrigins: [PUBLIC] });
});
afterAll(() => parley.stop());

const sql = async (text: string, values: unknown[] = []) =>
  (await connected(parley.database.url(), (client) => client.query(text, values))).rows;

const update = (
  name: string,
  value: unknown,
  headers: Record<string, string> = {},
  host = new URL(parley.url).host,
) => {
  const body = JSON.stringify({ query: UPDATE, variables: { name, value } });
  const lines = Object.entries({
    "content-type": "application/json",
    ...headers,
    "content-length": Buffer.byteLength(body),
  });
  const head = lines.map(([key, text]) => `${key}: ${text}\r\n`).join("");
  return sendRaw(parley.url, `POST /graphql HTTP/1.1\r\nHost: ${host}\r\n${head}\r\n${body}`);
};

describe("mcp_url, which becomes text of the guide", () => {
  test.each([
    "http://[x",
    "http://[",
    "http://[::1",
    "http://[::1]]",
    "http://[1:2:3]",
    "http://[::g]",
    "http://[::ffff:1.2.3.4]",
    "http://$(touch pwned)",
    "http://a.example/$(touch%20pwned)",
    "http://a.example/`id`",
    "http://a.example/;id",
    "http://a.example/|id",
    "http://a.example/&id",
    "http://a.example/>x",
    "http://a.example/<x",
    "http://a.example/(x)",
    "http://a.example/'x'",
    'http://a.example/"x"',
    "http://a.example/\\x",
    "http://a.example/{a,b}",
    "http://a.example/*",
    "http://a.example/!x",
    "http://a.example/#x",
    "http://a.example/?x",
    "http://a.example/a b",
    "http://a.example/a\nb",
    "http://a.example/\n",
    "http://a.example\n",
    "\nhttp://a.example",
    " http://a.example",
    "http://a.example/\u0000x",
    "http://a.example/\u001b[2J",
    "http://a.example/é",
    "http://é.example",
    "http://xn--a.example",
    "http://XN--.example",
    "http://a.example/%24",
    "http://a.example//x",
    "http://user@a.example",
    "http://user:password@a.example",
    "http://a.example:0",
    "http://a.example:080",
    "http://a.example:65536",
    "http://a.example:99999",
    "http://a.example:",
    "http://a.example:x",
    "http://1.2.3.256",
    "http://1.2.3.4.5",
    "http://1.2.3",
    "http://01.2.3.4",
    "http://a.1",
    "http://0x7f",
    "http://-a.example",
    "http://a-.example",
    "http://a..example",
    "http://a.example.",
    "http://.example",
    "http://",
    "http:///x",
    "http:a.example",
    "HTTP://a.example",
    "ftp://a.example",
    "javascript:alert(1)",
    "//a.example",
    `http://a.example/${"x".repeat(500)}`,
    7,
    ["http://a.example"],
    { a: 1 },
  ])("may not be %j", refuses);

  test("may not be 3 MB", () => refuses(`http://a.example/${"x".repeat(3_000_000)}`));

  async function refuses(value: unknown) {
    const { status, body } = await update("mcp_url", value);
    const [error] = JSON.parse(body).errors;
    expect([status, error.extensions.code]).toEqual([400, "invalid_argument"]);
    expect(error.extensions.details.field).toMatch(/^(mcp_url|value)$/);
    expect(await sql("select value from parley.settings where name = 'mcp_url'")).toEqual([{ value: "" }]);
  }

  test.each([
    "http://localhost",
    "https://parley.example.com/mcp",
    "https://Parley.Example.com:8443/team-1/mcp/",
    "http://192.168.1.7:7423/mcp",
    "http://[::1]:7423/mcp",
    "http://[2001:DB8:0:0::7]/mcp",
    "http://a.example:65535",
    `http://a.example/${"x".repeat(483)}`,
  ])("may be %s", async (value) => {
    expect([(await update("mcp_url", value)).status, isLink(value)]).toEqual([200, true]);
    await update("mcp_url", "");
  });

  test("is one that every parser takes and no shell changes, whatever is tried", async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "a",
        "-",
        ".",
        ":",
        "[",
        "]",
        "::",
        "1",
        "255",
        "256",
        "0",
        "0x",
        "xn--",
        "localhost",
        "/",
        "//",
        "~",
        "_",
      ),
      fc.constantFrom(
        "$",
        "(",
        ")",
        "`",
        "'",
        '"',
        "\\",
        ";",
        "|",
        "&",
        "<",
        ">",
        " ",
        "\n",
        "%",
        "@",
        "?",
        "#",
        "!",
        "*",
        "é",
      ),
      fc.stringMatching(/^[a-z0-9-]{1,12}$/),
      fc.stringMatching(/^\d{1,6}$/),
    );
    const soup = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
    const group = fc.stringMatching(/^[0-9a-f]{0,5}$/);
    const host = fc.oneof(
      soup,
      fc.domain(),
      fc.ipV4Extended(),
      fc.ipV6().map((ip) => `[${ip}]`),
      fc.array(group, { minLength: 1, maxLength: 9 }).map((groups) => `[${groups.join(":")}]`),
      fc.array(fc.stringMatching(/^[a-z0-9-]{1,5}$/), { minLength: 1, maxLength: 4 }).map((labels) => labels.join(".")),
    );
    const port = fc.oneof(
      fc.constant(""),
      fc.nat(70_000).map((n) => `:${n}`),
      soup,
    );
    const path = fc.oneof(
      fc.constant(""),
      fc.constant("/mcp"),
      fc.webPath(),
      soup.map((text) => `/${text}`),
    );
    const address = fc.tuple(fc.constantFrom("http://", "https://"), host, port, path).map((parts) => parts.join(""));
    const tried = [...new Set(fc.sample(address, 20_000))].filter((text) => text.isWellFormed());
    const rows = await sql("select a from unnest($1::text[]) a where parley_private.is_link(a)", [tried]);
    const accepted = rows.map(({ a }) => a as string);

    expect(accepted.length).toBeGreaterThan(1_000);
    expect(accepted.filter((link) => link.includes("[")).length).toBeGreaterThan(100);
    expect(accepted.filter((link) => !URL.canParse(link) || !isLink(link))).toEqual([]);
    const lines = accepted.flatMap((link) => [`echo "${link}"`, `echo '${link}'`, `echo ${link}`]).join("\n");
    const said = execFileSync("sh", ["-s"], { input: lines, encoding: "utf8" }).trimEnd().split("\n");
    expect(said).toEqual(accepted.flatMap((link) => [link, link, link]));
  });

  test("is refused at the start, as MCP_URL, where the table does not take it", async () => {
    await sql("update parley.settings set updated_at = null where name = 'mcp_url'");
    const start = migrate(parley.database.url(), pino({ level: "silent" }), { mcpUrl: "https://xn--a.example/mcp" });
    await expect(start).rejects.toThrow(/^MCP_URL: mcp_url must be .*\.$/);
  });

  test("harms nothing when rubbish got into the table: the guide leaves it out, WebSockets open", async () => {
    const rubbish = "http://[x$(touch pwned)";
    await sql("alter table parley.settings disable trigger _100_check");
    await sql("update parley.settings set value = to_jsonb($1::text) where name = 'mcp_url'", [rubbish]);
    const again = await startTestServer({ database: parley.database });
    try {
      for (const { url } of [parley, again]) {
        const socket = new WebSocket(`${url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
        await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
        socket.terminate();
        expect(await (await fetch(`${url}/AGENTS.md`)).text()).toContain(`${url}/mcp`);
        expect(await (await fetch(`${url}/AGENTS.md`)).text()).not.toContain("pwned");
      }
    } finally {
      await again.stop();
      await sql("update parley.settings set value = default_value where name = 'mcp_url'");
      await sql("alter table parley.settings enable trigger _100_check");
    }
  });
});

describe("a setting is changed", () => {
  const idlePolls = async () => (await sql("select value from parley.settings where name = 'idle_polls'"))[0].value;
  const refused = async (answer: ReturnType<typeof update>) => {
    const { status, body } = await answer;
    const { code, details } = JSON.parse(body).errors[0].extensions;
    expect([status, code, details.hint]).toEqual([403, "forbidden", expect.stringContaining("SQL")]);
    expect(await idlePolls()).toBe(10);
  };

  test("on the server's own machine", async () => {
    expect((await update("idle_polls", 11, { origin: parley.url })).status).toBe(200);
    expect((await update("idle_polls", 10)).status).toBe(200);
  });

  test.each(["x-forwarded-for", "X-Forwarded-Host", "x-forwarded-proto", "Forwarded", "Via", "X-Real-IP"])(
    "not through a proxy that says %s",
    async (name) => {
      await refused(update("idle_polls", 11, { [name]: "127.0.0.1" }));
      await refused(update("idle_polls", 11, { [name]: "" }));
    },
  );

  test("not under the public address, nor by its page", async () => {
    await refused(update("idle_polls", 11, {}, "parley.example.com"));
    await refused(update("idle_polls", 11, { origin: PUBLIC }, "parley.example.com"));
    await refused(update("idle_polls", 11, { origin: PUBLIC }));
  });

  test("not through a proxy that speaks HTTP/1.0 and hides", async () => {
    const body = JSON.stringify({ query: UPDATE, variables: { name: "idle_polls", value: 11 } });
    const head = `POST /graphql HTTP/1.0\r\nHost: ${new URL(parley.url).host}\r\nContent-Length: ${body.length}`;
    await refused(sendRaw(parley.url, `${head}\r\n\r\n${body}`));
  });

  test("over a WebSocket by the same rule", async () => {
    const ask = async (headers: Record<string, string>) => {
      class Socket extends WebSocket {
        constructor(url: string, protocol: string) {
          super(url, protocol, { headers });
        }
      }
      const url = `${parley.url.replace("http", "ws")}/graphql`;
      const client = createClient({ url, webSocketImpl: Socket, retryAttempts: 0 });
      const answers = client.iterate({ query: UPDATE, variables: { name: "idle_polls", value: 12 } });
      const { value } = await answers.next();
      await client.dispose();
      return value as { errors?: { extensions: { code: string } }[] };
    };
    expect((await ask({ "x-forwarded-for": "203.0.113.7" })).errors?.[0]?.extensions.code).toBe("forbidden");
    expect((await ask({ host: "parley.example.com" })).errors?.[0]?.extensions.code).toBe("forbidden");
    expect(await idlePolls()).toBe(10);
    expect((await ask({})).errors).toBeUndefined();
    await until(async () => (await idlePolls()) === 12, "the setting");
    await sql("update parley.settings set value = '10' where name = 'idle_polls'");
  });

  test("not by a caller of the database whom no server vouches for", async () => {
    const refusal = await connected(parley.database.url("parley_caller"), (client) =>
      client.query("select parley.update_setting('idle_polls', '11')"),
    ).catch((error) => error);
    expect(refusal).toMatchObject({ code: "PT403" });
  });
});
