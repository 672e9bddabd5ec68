import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { callTool, connect } from "../mcp/tests/client.ts";
import { sayAHundredThings } from "../mcp/tests/hundred-messages.ts";
import { openLab } from "./lab.ts";
import { Report } from "./report.ts";

/** What Parley puts into the context of an agent, in tokens of o200k_base; other tokenizers count a few percent more or less. */
const lab = await openLab();
const rows: string[][] = [];

function row(what: string, text: string, limit?: number) {
  const tokens = encode(text).length;
  rows.push([what, tokens.toLocaleString("en"), limit ? `≤ ${limit.toLocaleString("en")}` : ""]);
}

try {
  const parley = { url: `http://127.0.0.1:${(await lab.startParley()).port}` };
  const [client, core] = [await connect(parley), await connect(parley, "/mcp?toolset=core")];
  const answer = async (name: string, args: Record<string, unknown>) => (await callTool(client, name, args)).text;

  row("list of the 13 core tools", JSON.stringify(await core.listTools()), 1_400);
  const all = await client.listTools();
  row(`list of all ${all.tools.length} tools`, JSON.stringify(all), 4_500);
  row("instructions", client.getInstructions() ?? "");

  const session = {
    title: "Port billing",
    description: "Split it, port it, prove it.",
    creator_team_name: "Alex's Team",
  };
  const asJson = async (name: string, args: Record<string, unknown>) =>
    JSON.parse(await answer(name, { ...args, format: "json" }));
  const { ref, ...alex } = await asJson("create_session", session);
  for (const team_name of ["Team Red", "Team Green", "Team White"])
    await asJson("join_session", { session_id: ref, team_name });
  const joined = await answer("join_session", { session_id: ref, team_name: "Team Blue" });
  row("joining as the fifth team", joined, 250);
  const asAlex = { session_id: ref, team_id: alex.team_id };
  const asBlue = { session_id: ref, team_id: /team_id (\S+)/.exec(joined)?.[1] };
  row("an empty wait", await answer("wait_for_messages", { ...asBlue, timeout: 0.1 }), 25);
  row("… as JSON", await answer("wait_for_messages", { ...asBlue, timeout: 0.1, format: "json" }), 40);
  const content = "I take src/invoices and its tests. You take src/refunds?";
  row("the answer to a post", await answer("post_message", { ...asAlex, content }), 20);
  row("a wait with one message", await answer("wait_for_messages", asBlue));
  row("… of which its text", content);

  for (let i = 0; i < 17; i++) await answer("post_message", { ...(i % 2 ? asAlex : asBlue), content });
  row("18 messages by get_history", await answer("get_history", { ...asBlue, limit: 18 }), 500);
  row("… as JSON", await answer("get_history", { ...asBlue, limit: 18, format: "json" }));
  row("whoami", await answer("whoami", asBlue), 120);
  const { amber } = await sayAHundredThings(client);
  row("… with five questions", await answer("whoami", amber), 120);
  const { amber: late } = await sayAHundredThings(client, 300);
  row("catch_up in a session of 300 messages", await answer("catch_up", late), 700);
  const door = { session_id: late.session_id, team_name: "Team Violet" };
  row("joining it", await answer("join_session", door), 700);
  row("the digest of 100 messages", await answer("get_digest", amber), 800);
  row("… as JSON", await answer("get_digest", { ...amber, format: "json" }));

  for (const { name, arguments: args = [] } of (await client.listPrompts()).prompts) {
    const given = Object.fromEntries(args.filter((a) => a.required).map((a) => [a.name, ref]));
    const { messages } = await client.getPrompt({ name, arguments: given });
    row(`the prompt ${name}`, (messages as { content: { text: string } }[]).map((m) => m.content.text).join());
  }
  row("the guide, /AGENTS.md", await (await fetch(`${parley.url}/AGENTS.md`)).text(), 2_400);

  await Promise.all([client.close(), core.close()]);
  new Report().table("Tokens", ["what an agent reads", "tokens", "limit"], rows);
} finally {
  await lab.close();
}
