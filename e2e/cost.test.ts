import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Team } from "../testing/server.ts";
import { fillFeed, useWorld } from "./world.ts";

const MESSAGES = 2_000;
const POSTS = 10;
/** Times are said again every half a minute, which may be now. */
const CLOCKS = 2;

const world = useWorld();

/** What the page has done since it was last asked. */
interface Costs {
  commits: number;
  /** Changes of what the tab is called, and of its picture. */
  inHead: number;
}

/** In the page, before anything of it runs: React tells developer tools of each commit. */
function countCosts() {
  const costs: Costs = { commits: 0, inHead: 0 };
  Object.assign(window, { costs });
  Object.assign(window, {
    __REACT_DEVTOOLS_GLOBAL_HOOK__: {
      supportsFiber: true,
      inject: () => 1,
      onCommitFiberRoot: () => void costs.commits++,
      onPostCommitFiberRoot: () => undefined,
      onCommitFiberUnmount: () => undefined,
    },
  });
  document.addEventListener("DOMContentLoaded", () => {
    const changes = { subtree: true, childList: true, characterData: true, attributes: true };
    new MutationObserver((seen) => {
      costs.inHead += seen.length;
    }).observe(document.head, changes);
  });
}

const costsOf = (page: Page) =>
  page.evaluate(async () => {
    // What a message leads to is done within the frame after the one that it is drawn in.
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    return { ...(window as unknown as { costs: Costs }).costs };
  });

/** Opens a page, posts, and answers what one page paid for all of that. */
async function costOfPosts(alex: Team, blue: Team, search: string) {
  const page = await world.open("/favicon.svg", { reducedMotion: "no-preference" });
  const counting = await page.addInitScript(countCosts);
  const [requests, frames]: [string[], string[]] = [[], []];
  // The palette is loaded some time, whatever happens.
  page.on("request", (request) => {
    if (request.resourceType() !== "script") requests.push(`${request.url()} ${request.postData() ?? ""}`);
  });
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      if (String(payload).includes('"type":"next"')) frames.push(String(payload));
    }),
  );
  await page.goto(`${world.parley.url}/s/${alex.ref}${search}`);
  const say = async (team: Team, words: string) => {
    await world.parley.say(team, words);
    await page.getByRole("log").getByText(words, { exact: true }).waitFor();
  };
  // Both have just been seen then, and neither is news on the roster.
  await say(alex, `first word ${search}`);
  await say(blue, `second word ${search}`);
  await page.waitForLoadState("networkidle");
  const before = await costsOf(page);
  const [asked, told] = [requests.length, frames.length];
  for (let n = 1; n <= POSTS; n++) await say(n % 3 === 0 ? blue : alex, `word ${n} ${search}`);
  const after = await costsOf(page);
  await counting.dispose();
  await world.close(page);
  return {
    commits: after.commits - before.commits,
    inHead: after.inHead - before.inHead,
    requests: requests.slice(asked),
    frames: frames.length - told,
  };
}

test.each([
  ["a session", ""],
  ["its timeline", "?tab=timeline"],
  ["what is now", "?tab=now"],
  ["a search", "?q=word"],
])("a message costs %s two commits and one frame, no request, and the tab keeps its name", async (_, search) => {
  const alex = await world.parley.create();
  const blue = await world.parley.join(alex);
  await fillFeed(world, alex, MESSAGES);
  const { commits, ...rest } = await costOfPosts(alex, blue, search);
  expect(rest).toEqual({ inHead: 0, requests: [], frames: POSTS });
  expect(commits).toBeLessThanOrEqual(2 * POSTS + CLOCKS);
  // They are counted: otherwise this would hold of any page.
  expect(commits).toBeGreaterThanOrEqual(POSTS);
});
