import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { persist } from "../connection/api.ts";
import { Away, Refusal } from "../errors.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const away = new Away("not there");

test("pauses between tries grow, but not beyond some seconds, and each is told with how long it has lasted", async () => {
  const tries: number[] = [];
  const lasted: number[] = [];
  const attempt = () => {
    tries.push(Date.now());
    return Promise.reject(away);
  };
  persist(attempt, { forMs: Number.POSITIVE_INFINITY, onTrouble: (_error, sinceMs) => lasted.push(sinceMs) });
  await vi.advanceTimersByTimeAsync(120_000);
  const pauses = tries.slice(1).map((at, i) => at - (tries[i] as number));
  expect(pauses[0]).toBeLessThan(500);
  expect(pauses.at(-1)).toBeGreaterThan(5_000);
  expect(Math.max(...pauses)).toBeLessThan(15_000);
  expect(lasted).toEqual(tries.map((at) => at - (tries[0] as number)));
});

test("a server that says when to come again is taken at its word", async () => {
  const attempt = vi.fn().mockRejectedValueOnce(new Refusal(503, "unavailable", "Away.", { retry_after_seconds: 4 }));
  persist(attempt.mockResolvedValue("done"), { forMs: 60_000 });
  await vi.advanceTimersByTimeAsync(3_900);
  expect(attempt).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(attempt).toHaveBeenCalledTimes(2);
});

test("it gives up after its time, with what went wrong", async () => {
  const given = persist(() => Promise.reject(away), { forMs: 20_000 }).catch((error) => error);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await given).toBe(away);
});

test("what was refused for good is not tried again", async () => {
  const refusal = new Refusal(403, "session_closed", "This session is concluded.");
  const attempt = vi.fn().mockRejectedValue(refusal);
  await expect(persist(attempt, { forMs: 60_000 })).rejects.toBe(refusal);
  expect(attempt).toHaveBeenCalledTimes(1);
});
