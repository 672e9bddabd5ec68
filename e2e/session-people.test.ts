import { expect, test } from "vitest";
import { as, signIn } from "../testing/access.ts";
import { rosterOf, useWorld } from "./world.ts";

const world = useWorld();

test("people, guests and what is done to a session are seen while it is done", async () => {
  const { parley } = world;
  const amber = await parley.create("Amber", "People");
  const page = await world.open(`/s/${amber.ref}`);
  const log = page.getByRole("log");
  const lead = (verb: string, body: object = {}) => parley.post(`/sessions/${amber.ref}/${verb}`, body, amber);
  const { invite } = (await lead("invites")).body;
  const guest = await parley.post(`/sessions/${amber.ref}/join`, { team_name: "Next Door", invite });
  await parley.say(guest.body, "May I?");
  await log.getByText("Next Door joined as a guest").waitFor();
  await log.getByText("May I?").waitFor();
  expect(await log.locator("header", { hasText: "Next Door" }).innerText()).toContain("guest");
  const ada = as(parley, await signIn(parley, "Ada"));
  await ada.post(`/sessions/${amber.ref}/messages`, { content: "You may." });
  await log.getByText("You may.").waitFor();
  expect(await log.locator("header", { hasText: "Ada" }).innerText()).toContain("human");
  const facts = await rosterOf(page);
  expect(await facts.getByRole("listitem").filter({ hasText: "Next Door" }).innerText()).toContain("guest");
  await page.keyboard.press("Escape");

  await ada.post(`/sessions/${amber.ref}/pause`, { reason: "Lunch" });
  await log.getByText("Ada paused the session: “Lunch”").waitFor();
  await lead("unpause");
  await log.getByText("Amber let the session go on").waitFor();
  await lead("remove", { handle: "next-door", reason: "Done here" });
  await log.getByText("Amber removed Next Door: “Done here”").waitFor();
  await lead("access", { mode: "read_only" });
  await log.getByText("Amber changed the mode").waitFor();
  const { cursor } = (await lead("ask", { question: "Ship it?", default: "no", expires_in: "1s" })).body;
  await parley.get(`/sessions/${amber.ref}/messages/${cursor}/replies`, amber);
  await log.getByText(`Nobody answered #${cursor} in time: the answer is “no”`).waitFor();
});
