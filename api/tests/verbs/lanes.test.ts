import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { Lanes } from "../../verbs/lanes.ts";

const LIMITS = { width: 1, queue: 3, total: 6, patienceMs: 60_000 };

/** Work that goes on until it is told to end. */
function piece() {
  const work = Promise.withResolvers<string>();
  let begun = false;
  return {
    run: () => {
      begun = true;
      return work.promise;
    },
    end: work.resolve,
    fail: work.reject,
    get begun() {
      return begun;
    },
  };
}

const BUSY = { status: 503, code: "unavailable", retryAfter: 2, message: expect.stringContaining("busy") };

test("calls of one session go one after the other, in the order they came; another session does not wait for them", async () => {
  const lanes = new Lanes(LIMITS);
  const [a, b, c, other] = [piece(), piece(), piece(), piece()];
  const answers = [a, b, c].map((work) => lanes.run("hot", work.run));
  const elsewhere = lanes.run("cool", other.run);
  expect([a, b, c, other].map(({ begun }) => begun)).toEqual([true, false, false, true]);
  other.end("there");
  expect(await elsewhere).toBe("there");
  a.end("first");
  expect(await answers[0]).toBe("first");
  await turn();
  expect([b.begun, c.begun]).toEqual([true, false]);
  b.fail(new Error("refused"));
  await expect(answers[1]).rejects.toThrow("refused");
  await turn();
  expect(c.begun).toBe(true);
  c.end("third");
  expect(await answers[2]).toBe("third");
  expect(lanes.size).toBe(0);
});

test("as many as its width are under way together", async () => {
  const lanes = new Lanes({ ...LIMITS, width: 2 });
  const works = [piece(), piece(), piece()];
  const answers = works.map((work) => lanes.run("hot", work.run));
  expect(works.map(({ begun }) => begun)).toEqual([true, true, false]);
  for (const work of works) work.end("done");
  expect(await Promise.all(answers)).toEqual(["done", "done", "done"]);
});

test("whoever finds the queue of the session full, or all queues together, is refused at once", async () => {
  const lanes = new Lanes(LIMITS);
  const works = Array.from({ length: 6 }, piece);
  const answers = works.map((work, i) => lanes.run(i < 4 ? "hot" : "warm", work.run));
  await expect(lanes.run("hot", async () => "never")).rejects.toMatchObject(BUSY);
  await expect(lanes.run("cool", async () => "never")).rejects.toMatchObject(BUSY);
  for (const work of works) work.end("done");
  expect(await Promise.all(answers)).toHaveLength(6);
  expect(await lanes.run("cool", async () => "again")).toBe("again");
});

test("whoever waits too long is refused, and whose client has gone leaves: neither ever runs", async () => {
  const lanes = new Lanes({ ...LIMITS, patienceMs: 30 });
  const [first, late, left] = [piece(), piece(), piece()];
  const going = lanes.run("hot", first.run);
  const client = new AbortController();
  const gone = lanes.run("hot", left.run, client.signal);
  client.abort();
  await expect(gone).rejects.toMatchObject({ status: 499 });
  await expect(lanes.run("hot", left.run, AbortSignal.abort())).rejects.toMatchObject({ status: 499 });
  await expect(lanes.run("hot", late.run)).rejects.toMatchObject(BUSY);
  first.end("done");
  await going;
  await turn();
  expect([late.begun, left.begun, lanes.size]).toEqual([false, false, 0]);
  expect(await lanes.run("hot", async () => "again")).toBe("again");
});
