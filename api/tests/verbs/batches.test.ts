import { setImmediate as tick } from "node:timers/promises";
import type pg from "pg";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Lanes } from "../../verbs/lanes.ts";
import { Together } from "../../verbs/together.ts";

/** A batch as it reaches the connection: which one, what it does there, and the end that the test gives it. */
interface Batch {
  connection: number;
  does: string[];
  /** Whether it waits for a lock as long as it takes. */
  readonly patient: boolean;
  end(): Promise<void>;
}

interface Sent {
  submit(connection: object): void;
  handleDataRow(row: object): void;
  handleReadyForQuery(): void;
}

// A batch that takes long makes room for others; here the time stands still.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const nothing = () => undefined;

/** Calls by the name of their session, on connections that do nothing but keep their batches. */
function calls() {
  const batches: Batch[] = [];
  let connections = 0;
  const connect = async () => {
    const number = ++connections;
    let does: string[] = [];
    const connection = {
      parsedStatements: {},
      stream: { writable: true, cork: nothing, uncork: nothing },
      bind: ({ statement }: { statement: string }) => does.push(statement),
      ...{ parse: nothing, close: nothing, execute: nothing, sync: nothing },
    };
    const query = (batch: Sent) => {
      const statements: string[] = [];
      does = statements;
      const end = async () => {
        for (const _ of statements) batch.handleDataRow({ fields: ["null", null, null, null] });
        batch.handleReadyForQuery();
        await tick();
      };
      batches.push({
        connection: number,
        end,
        get does() {
          return statements.filter((name) => name !== "short_locks");
        },
        get patient() {
          return !statements.includes("short_locks");
        },
      });
    };
    return { connection, query, release: nothing };
  };
  const lanes = new Lanes({ width: 1, queue: 100, total: 100, patienceMs: 1_000 });
  const together = new Together({ connect } as unknown as pg.Pool, lanes, nothing);
  const call = async (...names: string[]) => {
    for (const name of names) void together.run(name, { name, text: "" });
    await tick();
    await tick();
    return batches.map(({ connection, does }) => `${connection}: ${does.join(" ")}`);
  };
  return { batches, call, lanes };
}

test("who is alone goes at once, and so does a second one, beside it", async () => {
  const { call } = calls();
  expect(await call("a")).toEqual(["1: a"]);
  expect(await call("b")).toEqual(["1: a", "2: b"]);
});

test("those who come at once go together, and as many behind them on the same connection", async () => {
  const { call } = calls();
  expect(await call("a", "b", "c")).toEqual(["1: a b c"]);
  expect(await call("d", "e", "f")).toEqual(["1: a b c", "1: d e f"]);
});

test("behind a batch go as many as it has, or half of all; who are fewer wait for it, and go with those who come meanwhile", async () => {
  const { call, batches } = calls();
  expect(await call("a", "b", "c")).toEqual(["1: a b c"]);
  expect(await call("d")).toHaveLength(1);
  expect(await call("e")).toEqual(["1: a b c", "1: d e"]);
  expect(await call("f", "g", "h")).toHaveLength(2);
  await batches[0]?.end();
  expect(await call()).toEqual(["1: a b c", "1: d e", "1: f g h"]);
  expect(await call("i")).toHaveLength(3);
  await batches[1]?.end();
  expect(await call()).toHaveLength(3);
  await batches[2]?.end();
  expect(await call()).toEqual(["1: a b c", "1: d e", "1: f g h", "2: i"]);
});

test("behind a batch of one session, which may wait for its lock for long, go only calls of that session", async () => {
  const { call, batches } = calls();
  expect(await call("a")).toEqual(["1: a"]);
  expect(await call("a")).toEqual(["1: a", "1: a"]);
  expect(await call("b")).toEqual(["1: a", "1: a", "2: b"]);
  expect(await call("c", "a", "b")).toHaveLength(3);
  await batches[0]?.end();
  await batches[1]?.end();
  expect(await call()).toEqual(["1: a", "1: a", "2: b", "3: a c"]);
  await batches[2]?.end();
  expect((await call()).at(-1)).toBe("3: b");
});

test("behind a batch of several sessions nobody waits long for a lock, though it is of one session", async () => {
  const { call, batches } = calls();
  expect(await call("a")).toEqual(["1: a"]);
  expect(await call("b", "c")).toEqual(["1: a", "2: b c"]);
  expect(await call("b", "b")).toEqual(["1: a", "2: b c", "2: b b"]);
  expect(batches.map(({ patient }) => patient)).toEqual([true, false, false]);
});

test("who stands behind a call that goes by itself goes when that is done", async () => {
  const { call, lanes } = calls();
  const { promise, resolve } = Promise.withResolvers<void>();
  const itself = lanes.run("a", () => promise);
  expect(await call("a", "a")).toEqual([]);
  resolve();
  await itself;
  expect(await call()).toEqual(["1: a a"]);
});

test("a batch that takes long holds back nobody", async () => {
  const { call } = calls();
  await call("a", "b");
  expect(await call("c", "d")).toEqual(["1: a b", "1: c d"]);
  expect(await call("e")).toHaveLength(2);
  vi.advanceTimersByTime(100);
  expect(await call()).toEqual(["1: a b", "1: c d", "2: e"]);
});
