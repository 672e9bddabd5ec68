import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { useWorld } from "./world.ts";

const world = useWorld();

const concluded = async (title: string) => {
  const alex = await world.parley.create("Alex's Team", title);
  await world.parley.post(`/sessions/${alex.ref}/doc/append`, { text: "## Decisions\n\n- keep the names" }, alex);
  await world.parley.post(`/sessions/${alex.ref}/conclude`, { summary_section: "Half is done." }, alex);
  return alex;
};

test("the line for a shell resumes the session, and both sessions show the link the moment it exists", async () => {
  const alex = await concluded("Half a port");
  const page = await world.open(`/s/${alex.ref}`);
  await page.getByRole("region", { name: "Conclusion" }).getByRole("button", { name: "Pick this up" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`resume_session {"session_id":"${alex.ref}","team_name":"Team Blue"}`).waitFor();
  await dialog.getByText(`npx parley resume ${alex.ref}`).waitFor();
  const line = await dialog.getByText(/^curl -s/).innerText();
  const { ref } = JSON.parse((await promisify(execFile)("bash", ["-c", line])).stdout);
  await page.keyboard.press("Escape");

  const header = page.getByRole("banner").last();
  await header.getByText("Continued in").getByRole("link", { name: ref }).waitFor();
  const card = page.getByRole("region", { name: "Conclusion" });
  await card.getByText("Continued in").waitFor();
  expect(await card.getByRole("button", { name: "Pick this up" }).count()).toBe(0);
  await card.getByRole("link", { name: ref }).click();
  await page.getByText("Continues", { exact: false }).getByRole("link", { name: alex.ref }).first().waitFor();
  await page.getByRole("heading", { name: "Where the last session ended" }).waitFor();
});

test("a person resumes a session by hand", async () => {
  const alex = await concluded("Half by hand");
  const page = await world.open(`/s/${alex.ref}`);
  await page.getByRole("button", { name: "Pick this up" }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Or open it yourself").fill("Robin");
  await dialog.getByLabel("Or open it yourself").press("Enter");
  await page.getByRole("list", { name: "Teams" }).getByText("Robin").waitFor();
  expect(page.url()).not.toContain(alex.ref);
  await page.getByRole("link", { name: alex.ref }).first().waitFor();
});

test("who comes too late to resume is told where it goes on", async () => {
  const alex = await concluded("Half a race");
  const page = await world.open(`/s/${alex.ref}`);
  await page.getByRole("button", { name: "Pick this up" }).click();
  const { body } = await world.parley.post(`/sessions/${alex.ref}/resume`, { team_name: "Faster" });
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Or open it yourself").fill("Robin");
  await dialog.getByRole("button", { name: "Open" }).click();
  await dialog.getByRole("alert").getByText(`already being continued, in ${body.ref}`).waitFor();
});

test("the list marks a session that continues another", async () => {
  const alex = await concluded("Half a list");
  const { body } = await world.parley.post(`/sessions/${alex.ref}/resume`, {
    team_name: "Next",
    title: "The other half",
  });
  const page = await world.open("/");
  const row = page.getByRole("listitem").filter({ hasText: "The other half" });
  expect(await row.innerText()).toContain(`${body.ref} ↳ continues ${alex.ref}`);
});
