import { setImmediate as tick } from "node:timers/promises";
import type pg from "pg";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Lanes } from "../../verbs/lanes.ts";
import { Together } from "../../verbs/together.ts";

/** A batch as it reaches the connection: what it does, and the end that the test gives it. */
interface Batch {
  does: string[];
  end(): Promise<void>;
}

// A batch that takes long makes room for others; here the time stands still.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Calls by the name of their session, on connections that do nothing but keep their batches. */
function calls() {
  const batches: Batch[] = [];
  const query = (batch: {
    submit(connection: object): void;
    handleDataRow(row: object): void;
    handleReadyForQuery(): void;
  }) => {
    const does: string[] = [];
    const nothing = () => undefined;
    batch.submit({
      parsedStatements: {},
      stream: { cork: nothing, uncork: nothing },
      bind: ({ statement }: { statement: string }) => does.push(statement),
      ...{ parse: nothing, close: nothing, execute: nothing, sync: nothing },
    });
    const end = async () => {
      for (const _ of does) batch.handleDataRow({ fields: ["null", null, null, null] });
      batch.handleReadyForQuery();
      await tick();
    };
    batches.push({ does: does.filter((name) => name !== "short_locks"), end });
  };
  const pool = { connect: async () => ({ query, release: () => undefined }) } as unknown as pg.Pool;
  const lanes = new Lanes({ width: 1, queue: 100, total: 100, patienceMs: 1_000 });
  const together = new Together(pool, lanes, () => undefined);
  const call = async (...names: string[]) => {
    for (const name of names) void together.run(name, { name, text: "" });
    await tick();
    await tick();
    return batches.map(({ does }) => does.join(" "));
  };
  return { batches, call };
}

test("who is alone goes at once, and so does a second one", async () => {
  const { call } = calls();
  expect(await call("a")).toEqual(["a"]);
  expect(await call("b")).toEqual(["a", "b"]);
});

test("beside a batch that is under way goes one that is as large; who are fewer wait for it, and go with those who come meanwhile", async () => {
  const { call, batches } = calls();
  expect(await call("a", "b", "c")).toEqual(["a b c"]);
  expect(await call("d")).toHaveLength(1);
  expect(await call("e")).toHaveLength(1);
  expect(await call("f")).toEqual(["a b c", "d e f"]);
  expect(await call("g", "h", "i")).toHaveLength(2);
  await batches[0]?.end();
  expect(await call()).toEqual(["a b c", "d e f", "g h i"]);

  expect(await call("j")).toHaveLength(3);
  await batches[1]?.end();
  expect(await call("k")).toHaveLength(3);
  await batches[2]?.end();
  expect(await call()).toEqual(["a b c", "d e f", "g h i", "j k"]);
});

test("a batch that takes long holds back nobody", async () => {
  const { call } = calls();
  await call("a", "b", "c");
  expect(await call("d")).toHaveLength(1);
  vi.advanceTimersByTime(100);
  expect(await call()).toEqual(["a b c", "d"]);
});
