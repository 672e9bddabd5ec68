import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../../testing/server.ts";
import { refusal, workers } from "./work.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const { add, claim, done, events, must, paths, set, take, task, update, verify, three } = workers(() => parley);
const COMMIT = "3f2a91c04b5d6e7f8091a2b3c4d5e6f708192a3b";

test("what is done is reported, until another team has verified or refuted it", async () => {
  const [a, b, c] = await three();
  await add(a, "One");
  await take(b);
  expect(await verify(c, 1, true)).toMatchObject(refusal(400, "invalid_argument", { field: "task" }));
  const evidence = [
    { kind: "commit", commit: COMMIT, branch: "refunds" },
    { kind: "check", name: "test", passed: true },
    { kind: "link", url: "https://ci.example.com/7" },
  ];
  expect(await done(b, 1, { evidence })).toMatchObject({ proof: "reported", evidence });
  expect(await verify(b, 1, true)).toMatchObject(refusal(403, "own_work"));
  const refuted = must(await verify(c, 1, false, { evidence: [{ kind: "check", name: "test", passed: false }] }));
  expect(refuted).toMatchObject({ status: "done", proof: "refuted", verified: { by: "green", commit: COMMIT } });
  expect(refuted.evidence.at(-1)).toEqual({ kind: "check", name: "test", passed: false, by: "green" });
  const verified = must(await verify(a, 1, true, { evidence: [{ kind: "commit", sha: COMMIT.slice(0, 8) }] }));
  expect(verified).toMatchObject({
    proof: "verified",
    verified: { by: "amber", at: expect.any(String), commit: COMMIT.slice(0, 8) },
  });
  expect((await events(b)).slice(-2)).toEqual([
    { event: "task_verified", task: 1, title: "One", by: "Green", handle: "green", passed: false },
    { event: "task_verified", task: 1, title: "One", by: "Amber", handle: "amber", passed: true },
  ]);
  // Another report has to be looked at again.
  expect(await done(b, 1, { result: "Better." })).toMatchObject({ proof: "reported", result: "Better." });
  expect(await update(c, 1, { result: "Mine now." })).toMatchObject(refusal(403, "not_your_task", { by: "blue" }));
  must(await update(c, 1, { status: "open" }));
  expect(await task(a, 1)).toMatchObject({ status: "open", proof: null, evidence: null });
});

test("whoever finishes for another leaves it its work: only the doer cannot verify it", async () => {
  const [a, b] = await three();
  await add(a, "One");
  await take(b);
  await done(a, 1);
  expect(await verify(b, 1, true)).toMatchObject(refusal(403, "own_work"));
  expect(await verify(a, 1, true)).toMatchObject({ status: 200 });
});

test("a verified task is stale when its branch has moved on, and only then", async () => {
  const [a, b, c] = await three();
  await add(a, "One", "Two");
  must(await parley.post(`/sessions/${a.ref}/team`, { about: { branch: "refunds" } }, b));
  await take(b);
  await take(b);
  await done(b, 1, { evidence: [{ kind: "commit", commit: COMMIT }] });
  await done(b, 2, { evidence: [{ kind: "commit", commit: COMMIT, branch: "other" }] });
  must(await verify(c, 1, true));
  must(await verify(c, 2, true));
  must(await paths.report(b, { paths: ["x"], branch: "refunds", head: COMMIT.slice(0, 10) }));
  expect(await task(a, 1)).toMatchObject({ proof: "verified" });
  must(await paths.report(b, { paths: ["x"], branch: "refunds", head: "aaaaaaaaaa" }));
  expect(await task(a, 1)).toMatchObject({ proof: "stale", verified: { by: "green", commit: COMMIT } });
  expect(await task(a, 2)).toMatchObject({ proof: "verified" });
  must(await verify(c, 1, true, { evidence: [{ kind: "commit", commit: "aaaaaaaaaa" }] }));
  expect(await task(a, 1)).toMatchObject({ proof: "verified", verified: { commit: "aaaaaaaaaa" } });
});

test("what was verified without a commit is stale, too, when its branch has moved on", async () => {
  const [a, b, c] = await three();
  await add(a, "One");
  const report = async (head: string) => must(await paths.report(b, { paths: ["x"], branch: "refunds", head }));
  must(await parley.post(`/sessions/${a.ref}/team`, { about: { branch: "refunds" } }, b));
  await take(b);
  await report(COMMIT);
  await done(b, 1);
  expect(must(await verify(c, 1, true)).verified).toMatchObject({ commit: COMMIT });
  await report(COMMIT);
  expect(await task(a, 1)).toMatchObject({ proof: "verified" });
  await report("aaaaaaaaaa");
  expect(await task(a, 1)).toMatchObject({ proof: "stale" });
});

test("with verified_only, only what was verified frees what depends on it", async () => {
  const [a, b, c] = await three();
  await set("verified_only", true);
  try {
    await add(a, "One", { title: "Two", depends_on: [1] });
    await take(b);
    await done(b, 1);
    expect((await task(a, 2)).blocked_by).toEqual([1]);
    const waiting = claim(a, { wait: 30 });
    must(await verify(c, 1, false));
    expect((await task(a, 2)).status).toBe("blocked");
    must(await verify(c, 1, true));
    expect((await waiting).body).toMatchObject({ task: 2 });
  } finally {
    await set("verified_only", false);
  }
});
