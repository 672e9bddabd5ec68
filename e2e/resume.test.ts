import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { rosterOf, useWorld } from "./world.ts";

const world = useWorld();

const concluded = async (title: string) => {
  const alex = await world.parley.create("Alex's Team", title);
  await world.parley.post(`/sessions/${alex.ref}/doc/append`, { text: "## Decisions\n\n- keep the names" }, alex);
  await world.parley.post(`/sessions/${alex.ref}/conclude`, { summary_section: "Half is done." }, alex);
  return alex;
};

/** In a folder of its own, as on any machine; MCP_URL leads elsewhere, so only the line itself can be right. */
async function resumeBy(line: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "parley-resume-"));
  const env = { ...process.env, PARLEY_HOME: folder, MCP_URL: "http://127.0.0.1:9/mcp" };
  const { stdout } = await promisify(execFile)("bash", ["-ec", line], { cwd: folder, env });
  await rm(folder, { recursive: true });
  return /Created (\S+)/.exec(stdout)?.[1] ?? stdout;
}

test("the line for a shell resumes the session, and both sessions show the link the moment it exists", async () => {
  const alex = await concluded("Half a port");
  const page = await world.open(`/s/${alex.ref}`);
  await page.getByRole("region", { name: "Conclusion" }).getByRole("button", { name: "Pick this up" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`resume_session {"session_id":"${alex.ref}","team_name":"Team Blue"}`).waitFor();
  await dialog.getByText(`Read ${world.parley.url}/s/${alex.ref}/AGENTS.md and follow it.`).waitFor();
  await dialog.getByText(/^npx parley resume .* --url http/).waitFor();
  const line = await dialog.getByText(/^curl -sO/).innerText();
  const ref = await resumeBy(line);
  await page.keyboard.press("Escape");

  await page.getByRole("heading", { level: 1 }).getByRole("button").click();
  const about = page.getByRole("dialog", { name: "About this session" });
  await about.getByText("Continued in").getByRole("link", { name: ref }).waitFor();
  await page.keyboard.press("Escape");
  const card = page.getByRole("region", { name: "Conclusion" });
  await card.getByText("Continued in").waitFor();
  expect(await card.getByRole("button", { name: "Pick this up" }).count()).toBe(0);
  await card.getByRole("link", { name: ref }).click();
  await page.getByRole("heading", { name: "Where the last session ended" }).waitFor();
  await page.getByRole("heading", { level: 1 }).getByRole("button").first().click();
  await about.getByText("Continues").getByRole("link", { name: alex.ref }).waitFor();
});

test("a person resumes a session by hand", async () => {
  const alex = await concluded("Half by hand");
  const page = await world.open(`/s/${alex.ref}`);
  await page.getByRole("button", { name: "Pick this up" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Or open it yourself").fill("Robin");
  await dialog.getByLabel("Or open it yourself").press("Enter");
  await (await rosterOf(page)).getByText("Robin", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  expect(page.url()).not.toContain(alex.ref);
  await page.getByRole("heading", { level: 1 }).getByRole("button").click();
  await page.getByRole("link", { name: alex.ref }).waitFor();
});

test("who comes too late to resume is told where it goes on", async () => {
  const alex = await concluded("Half a race");
  const page = await world.open(`/s/${alex.ref}`);
  await page.getByRole("button", { name: "Pick this up" }).click();
  const { body } = await world.parley.post(`/sessions/${alex.ref}/resume`, { team_name: "Faster" });
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Or open it yourself").fill("Robin");
  await dialog.getByRole("button", { name: "Open" }).click();
  await dialog
    .getByRole("alert")
    .getByText(new RegExp(`continued.* ${body.ref}`))
    .waitFor();
});

test("once continued, a session cannot be picked up again, not even when what continued it is concluded too", async () => {
  const alex = await concluded("Half of a half");
  const { body: next } = await world.parley.post(`/sessions/${alex.ref}/resume`, { team_name: "Next" });
  await world.parley.post(`/sessions/${next.ref}/conclude`, { summary_section: "A quarter is done." }, next);
  const page = await world.open(`/s/${alex.ref}`);
  const card = page.getByRole("region", { name: "Conclusion" });
  await card.getByText("Continued in").getByRole("link", { name: next.ref }).waitFor();
  await card.getByText("Half of a half, concluded").waitFor();
  expect(await page.getByRole("button", { name: "Pick this up" }).count()).toBe(0);
});

test("an agent is told to resume a concluded session, and to join where a continued one goes on", async () => {
  const alex = await concluded("Half connected");
  const page = await world.open(`/s/${alex.ref}`);
  await page.getByRole("button", { name: "Connect an agent" }).click();
  const panel = page.getByRole("dialog");
  await panel.getByRole("heading", { name: "Tell it to resume this session" }).waitFor();
  await panel.getByRole("tab", { name: "curl" }).click();
  const line = await panel.getByText(/^curl -s http/).innerText();
  const { ref } = JSON.parse((await promisify(execFile)("bash", ["-c", line])).stdout);
  await panel.getByRole("heading", { name: "Tell it to join this session" }).waitFor();
  await panel.getByText(`Read ${world.parley.url}/s/${ref}/AGENTS.md`).waitFor();
});

test("the conclusion is said once: in the card, and in the source", async () => {
  const alex = await concluded("Half and short");
  const page = await world.open(`/s/${alex.ref}`);
  const doc = page.getByRole("region", { name: "Document", exact: true });
  await doc.getByRole("heading", { name: "Decisions" }).waitFor();
  expect(await doc.getByText("Half is done.").count()).toBe(1);
  await doc.getByRole("button", { name: "Raw" }).click();
  await doc.getByText(/## Conclusion\s+Half is done\./).waitFor();
});

test("the list marks a session that continues another", async () => {
  const alex = await concluded("Half a list");
  const { body } = await world.parley.post(`/sessions/${alex.ref}/resume`, {
    team_name: "Next",
    title: "The other half",
  });
  const page = await world.open("/");
  const row = page.getByRole("listitem").filter({ hasText: "The other half" });
  await row.getByText(`↳ continues ${alex.ref}`).waitFor();
  await row.getByText(body.ref, { exact: true }).waitFor();
});
