import { expect, test } from "vitest";
import { inOrder, prioritiesFor } from "../src/session/work/order.ts";

const tasks = (...priorities: number[]) => priorities.map((priority, n) => ({ task: n + 1, priority })).sort(inOrder);

function dropped(list: ReturnType<typeof tasks>, moved: number, to: number) {
  const priorities = prioritiesFor(list, moved, to);
  const after = list.map((one) => ({ ...one, priority: priorities.get(one.task) ?? one.priority }));
  return { order: after.sort(inOrder).map(({ task }) => task), changed: priorities.size };
}

test("wherever a task is dropped, there it stands, and the others keep their order", () => {
  for (const list of [tasks(0, 0, 0, 0, 0), tasks(5, 3, 3, 0, -2), tasks(9, 9, 1, 1, 1)]) {
    const before = list.map(({ task }) => task);
    for (const moved of before) {
      for (let to = 0; to < before.length; to++) {
        const wanted = before.filter((task) => task !== moved).toSpliced(to, 0, moved);
        expect([moved, to, dropped(list, moved, to).order]).toEqual([moved, to, wanted]);
      }
    }
  }
});

test("a task that comes first or last, or has room between two, is the only one that changes", () => {
  expect(dropped(tasks(0, 0, 0, 0, 0), 4, 0).changed).toBe(1);
  expect(dropped(tasks(0, 0, 0, 0, 0), 2, 4).changed).toBe(1);
  expect(dropped(tasks(9, 3, 0), 3, 1).changed).toBe(1);
});
