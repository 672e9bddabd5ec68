import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deadUrl } from "../../../cli/tests/proxy.ts";
import { connected } from "../../../testing/postgres.ts";
import { startTestServer, type TestServer } from "../../../testing/server.ts";
import { blockWith, openShell, type Place, SHELLS, shellBlocks } from "../../../testing/shell.ts";

let parley: TestServer;
let root: string;
beforeAll(async () => {
  parley = await startTestServer();
  root = mkdtempSync(join(tmpdir(), "parley-guide-"));
});
afterAll(async () => {
  await parley.stop();
  rmSync(root, { recursive: true, force: true });
});

const guideTo = async (ref?: string) => (await fetch(`${parley.url}${ref ? `/s/${ref}` : ""}/AGENTS.md`)).text();
const LOAD = ". ~/.parley/parley.sh";

/** A machine, and shells in its folders with Parley loaded. */
async function createMachine(options: Partial<Place> = {}) {
  const home = mkdtempSync(join(root, "home-"));
  const folder = (name: string) => {
    mkdirSync(join(home, name), { recursive: true });
    return join(home, name);
  };
  const open = async (name: string, more: Partial<Place> = {}) => {
    const shell = openShell({ home, cwd: folder(name), ...options, ...more });
    await shell.succeed(blockWith(await guideTo(), "parley.sh"));
    return shell;
  };
  const kept = () => readdirSync(join(home, ".parley")).filter((name) => name.startsWith("team-"));
  return { home, folder, open, kept, read: (name: string) => readFileSync(join(home, ".parley", name), "utf8") };
}

describe.each(SHELLS)("the guide, followed by %s", (shell) => {
  let machine: Awaited<ReturnType<typeof createMachine>>;
  beforeEach(async () => {
    machine = await createMachine({ shell });
  });

  test("every command runs as it stands: one team creates, another joins, and what they made is resumed", async () => {
    const guide = await guideTo();
    const blocks = shellBlocks(guide);
    const [amber, blue] = [await machine.open("amber"), await machine.open("blue")];
    const outputs: string[] = [];
    for (const block of blocks.filter((text) => !text.includes("parley.sh"))) {
      const who = block.includes("/join") ? blue : amber;
      outputs.push(await who.succeed(block));
      // What a colleague would hand over.
      await blue.run(`REF=${await amber.succeed('printf %s "$SESSION"')}`);
    }
    const everything = outputs.join("\n");
    expect(everything).not.toContain('"error"');
    expect(everything).not.toMatch(/pt_[\w-]{43}/);
    for (const said of [
      "handle team-amber · cursor 0",
      "handle team-blue · cursor 1",
      'Who takes "src/refunds"?\n  Quotes, \\, $(…) and line breaks may stand here.',
      "doc v1 · unread",
      "doc v2 · unread",
      "closed yes · doc v3",
      "conclusion: Both are ported.",
    ])
      expect(everything).toContain(said);

    // Both teams are kept for their owner only; Amber is now the one that resumed, also for the next shell.
    expect(machine.kept()).toHaveLength(2);
    for (const name of machine.kept()) expect(statSync(join(machine.home, ".parley", name)).mode & 0o777).toBe(0o600);
    expect(statSync(join(machine.home, ".parley")).mode & 0o777).toBe(0o700);
    const later = openShell({ home: machine.home, cwd: machine.folder("amber"), shell });
    expect(await later.succeed(`${LOAD}; api whoami`)).toMatch(/^ref \S+ · handle team-red · [^\n]* · convener yes\n/);

    // A refusal keeps nothing and forgets nothing.
    const before = machine.kept().map(machine.read);
    const refused = await later.run(`enter "$S/resume" '{"team_name": "Team Red"}'`);
    expect(refused).toMatchObject({ output: expect.stringContaining("session_active"), code: 1 });
    expect(machine.kept().map(machine.read)).toEqual(before);
    for (const open of [amber, blue, later]) open.close();
  });

  test("one team per repository, which no other overwrites unasked", async () => {
    const [first, second] = [await parley.create(), await parley.create()];
    execFileSync("git", ["init", "-q", machine.folder("repo")]);
    const inside = await machine.open("repo/src/deep");
    await inside.succeed(`enter sessions/${first.ref}/join '{"team_name": "Team Blue"}'`);
    const beside = await machine.open("repo/tests");
    expect(await beside.succeed("api whoami")).toContain("handle team-blue");
    const refused = await beside.run(`enter sessions/${second.ref}/join '{"team_name": "Team Blue"}'`);
    expect(refused).toMatchObject({
      output: "",
      code: 2,
      complaints: expect.stringMatching(`a team of ${first.ref} is kept`),
    });
    expect((await parley.get(`/sessions/${second.ref}/participants`, second)).body.participants).toHaveLength(1);
    await beside.succeed(
      `export PARLEY_TEAM=second; ${LOAD}; enter sessions/${second.ref}/join '{"team_name": "Team Red"}'`,
    );
    expect(await beside.succeed("api whoami")).toContain("handle team-red");
    expect(await inside.succeed(`${LOAD}; api whoami`)).toContain("handle team-blue");
    await inside.succeed(`forget; enter sessions/${second.ref}/join '{"team_name": "Team Blue"}'`);
    expect(await inside.succeed("api whoami")).toContain(`ref ${second.ref}`);
    for (const open of [inside, beside]) open.close();
  });

  test("a team says on which machine, in which repository, branch and worktree it is, and no secret of an address", async () => {
    const team = await parley.create();
    const repo = machine.folder('rep "o');
    const git = (...args: string[]) => execFileSync("git", args, { cwd: repo });
    git("init", "-q", "-b", 'feat/"quoted"', ".");
    const inside = await machine.open('rep "o/src');
    const about = async () =>
      (await parley.get(`/sessions/${team.ref}/participants`, team)).body.participants.at(-1).about;
    await inside.succeed(`enter sessions/${team.ref}/join '{"team_name": "Team Blue"}'`);
    expect(await about()).toEqual({
      machine: expect.stringMatching(/./),
      repo: 'rep "o',
      branch: 'feat/"quoted"',
      worktree: '~/rep "o',
    });
    git("remote", "add", "origin", "https://user:s3cr@t@github.com:8443/acme/billing.git");
    await inside.succeed(`forget; enter sessions/${team.ref}/join '{"team_name": "Team Blue"}'`);
    expect(await about()).toMatchObject({ repo: "github.com/acme/billing" });
    await inside.succeed(`forget; enter sessions/${team.ref}/join '{"team_name": "X", "about": {"role": "x"}}'`);
    expect(await about()).toEqual({ role: "x" });
    const outside = await machine.open("plain");
    await outside.succeed(`enter sessions/${team.ref}/join '{"team_name": "Team Red"}'`);
    expect(await about()).toEqual({ machine: expect.stringMatching(/./) });
    for (const open of [inside, outside]) open.close();
  });

  test("a text goes as it is: quotes, backslashes, line breaks, tabs, emoji, what looks like a command", async () => {
    const team = await parley.create();
    const blue = await machine.open("work");
    await blue.succeed(`enter sessions/${team.ref}/join '{"team_name": "Team Blue"}'`);
    const texts = [
      'say "hi" \'there\' \\ \\n \\\\ "',
      "\ttabs\tand\r\nline\n\n  breaks\n\n",
      "$(touch pwned) `touch pwned` $HOME ; touch pwned",
      "ünï \u{1f600} 日本 \u2028 · unread 0",
      "&<>%s %d %%",
      "one",
    ];
    for (const text of texts) await blue.succeed(`say <<'END_OF_TEXT'\n${text}\nEND_OF_TEXT`);
    const { messages } = (await parley.get(`/sessions/${team.ref}/messages?full=true`, team)).body;
    expect(messages.slice(1).map((message: { content: { text: string } }) => message.content.text)).toEqual(texts);
    expect(readdirSync(machine.folder("work"))).toEqual([]);
    blue.close();
  });

  test("what others wrote is read and never run: no file comes of a hostile session", async () => {
    const evil = "0'; touch pwned; x='";
    const breaks = ["\n", "\u2028", "\u0085", "\r", "\v"];
    const forged = breaks
      .map((end) => `${end}next_cursor $(touch pwned) · team_id pt_x; touch pwned · unread 0`)
      .join("");
    const team = await parley.create(`$(touch pwned)${forged}`.slice(0, 80), `$(touch pwned)${forged}`.slice(0, 200));
    const say = (content: string) =>
      parley.post(
        `/sessions/${team.ref}/messages`,
        { content, metadata: { next_cursor: evil, ref: evil, team_id: evil } },
        team,
      );
    await say(forged);
    await parley.post(`/sessions/${team.ref}/doc/append`, { section: "$(touch pwned)", text: forged }, team);
    const blue = await machine.open("work");
    await blue.succeed(`enter sessions/${team.ref}/join '{"team_name": "Blue $(touch pwned)", "replay_from": 0}'`);
    expect(await blue.succeed("listen")).toMatch(/^next_cursor \d+ · [^\n]*\n#1 /);
    await say(`1${forged}`);
    await blue.succeed("listen");
    expect(await blue.succeed('printf %s "$CURSOR"')).toMatch(/^\d+$/);
    const next = await machine.open("work");
    await next.succeed(`${LOAD}; api whoami; api "$S/messages"; api sessions; api "$S/digest"; api "$S/participants"`);
    await next.succeed('api "$S/doc" && value doc && case $V in v1) ;; *) false ;; esac');
    expect(machine.kept().map(machine.read).join()).toMatch(
      /^(# url \S+\n# ref [a-z0-9-]+\n# cursor \d+\nheader = X-Team-ID:pt_[\w-]{43}\n)$/,
    );
    for (const place of [machine.home, machine.folder("work")]) expect(readdirSync(place)).not.toContain("pwned");
    for (const open of [blue, next]) open.close();
  });

  test("a kept file that someone has written into is checked before it is believed", async () => {
    const team = await parley.create();
    const blue = await machine.open("work");
    await blue.succeed(`enter sessions/${team.ref}/join '{"team_name": "Team Blue"}'`);
    const [name = ""] = machine.kept();
    writeFileSync(
      join(machine.home, ".parley", name),
      "# url $(touch pwned)\n# ref $(touch pwned)\n# cursor 1; touch pwned\ntouch pwned\n",
    );
    expect(await blue.succeed(`${LOAD}; printf '%s,%s,%s' "$PARLEY" "$SESSION" "$CURSOR"`)).toBe(`${parley.url}/api,,`);
    expect(readdirSync(machine.folder("work"))).toEqual([]);
    blue.close();
  });

  test("a dead address is named, by the guide's first line and by every one after it", async () => {
    const dead = await deadUrl();
    const guide = (await guideTo()).replaceAll(parley.url, dead);
    const stranger = openShell({ home: mkdtempSync(join(root, "home-")), cwd: root, shell });
    expect((await stranger.run(blockWith(guide, "parley.sh"))).output).toBe(
      `no Parley at ${dead}: start it, or set MCP_URL\n`,
    );
    const shut = await machine.open("work", { env: { MCP_URL: `${dead}/mcp` } });
    const sentence = `no Parley at ${dead}/api: start it, or set MCP_URL\n`;
    for (const line of ["api sessions", "enter sessions '{}'"])
      expect(await shut.run(line)).toMatchObject({ output: "", complaints: sentence });
    for (const open of [stranger, shut]) open.close();
  });
});

test.each([
  ["MCP_URL", { MCP_URL: "https://a.example/mcp?toolset=core" }, { "parley.json": "b" }, "https://a.example/api"],
  ["parley.json", {}, { "parley.json": "b", ".mcp.json": "c" }, "https://b.example/api"],
  [".mcp.json", {}, { ".mcp.json": "c" }, "https://c.example/api"],
  [".mcp.json as MCP clients write it", {}, { ".mcp.json": { other: "x", parley: "d" } }, "https://d.example/api"],
  ["the address it was fetched from", {}, {}, undefined],
  ["nowhere if it is not plain", {}, { "parley.json": "$(touch pwned)" }, ""],
  ["nowhere if it is no address", { MCP_URL: "file:///etc/passwd" }, {}, ""],
])("the link is taken from %s", async (_where, env, files, expected) => {
  const { folder, open } = await createMachine();
  const link = (host: string) => `https://${host}.example/api/mcp`;
  for (const [name, content] of Object.entries(files)) {
    const servers = Object.entries<string>(content).map(([server, host]) => [
      server,
      { type: "http", url: link(host) },
    ]);
    const json = typeof content === "string" ? { mcp_url: link(content) } : { mcpServers: Object.fromEntries(servers) };
    writeFileSync(join(folder("work"), name), JSON.stringify(json, null, 2));
  }
  const shell = await open("work", { env });
  expect(await shell.succeed('printf %s "$PARLEY"')).toBe(expected ?? `${parley.url}/api`);
  if (expected === "") expect((await shell.run("api sessions")).complaints).toContain("not plain http(s)");
  expect(readdirSync(folder("work"))).not.toContain("pwned");
  shell.close();
});

test("listen is silent while nothing happens, and says when the session is idle or the call is refused", async () => {
  const idle = await startTestServer();
  await connected(idle.database.url("parley_owner"), async (client) => {
    await client.query("update parley.settings set value = '2' where name = 'idle_polls'");
    await client.query("update parley.settings set value = '1' where name = 'wait_max_seconds'");
  });
  const { open, kept, home, read } = await createMachine({ env: { MCP_URL: `${idle.url}/mcp` } });
  const shell = await open("work");
  await shell.succeed(blockWith(await guideTo(), "creator_team_name"));
  expect(await shell.run("listen")).toEqual({ output: "idle: stop, tell your human\n", code: 4, complaints: "" });
  const [name = ""] = kept();
  writeFileSync(join(home, ".parley", name), read(name).replace(/pt_.*/, "pt_wrong"));
  expect(await shell.run("listen")).toMatchObject({ output: expect.stringContaining("unauthorized"), code: 1 });
  shell.close();
  await idle.stop();
});
