import { expect, test } from "vitest";
import { eventSentence } from "../src/lib/event-sentence.ts";

const task = { task: 3, title: "Port refunds", by: "Team Blue" };

test.each([
  [{ event: "tasks_added", by: "Amber", tasks: [task] }, "Amber added task 3, Port refunds"],
  [
    { event: "tasks_added", by: "Amber", tasks: ["a", "b", "c", "d", "e"].map((title) => ({ title })) },
    "Amber added 5 tasks: a, b, c and 2 more",
  ],
  [
    { event: "tasks_added", by: "Amber", tasks: ["a", "b", "c"].map((title) => ({ title })) },
    "Amber added 3 tasks: a, b and c",
  ],
  [{ event: "task_claimed", ...task }, "Team Blue took task 3, Port refunds"],
  [{ event: "task_freed", ...task, reason: "lease expired" }, "task 3, Port refunds is free again"],
  [{ event: "task_blocked", ...task }, "Team Blue is stuck at task 3, Port refunds"],
  [{ event: "task_done", ...task, result: "Ported." }, "Team Blue finished task 3, Port refunds: Ported."],
  [{ event: "task_dropped", ...task }, "Team Blue dropped task 3, Port refunds"],
  [{ event: "task_verified", ...task, passed: true }, "Team Blue verified task 3, Port refunds"],
  [{ event: "task_verified", ...task, passed: false }, "Team Blue refuted task 3, Port refunds"],
  [{ event: "paths_overlap", teams: ["amber", "blue"], paths: ["src/a.ts"] }, "amber and blue are both at src/a.ts"],
  [{ event: "paths_overlap", teams: ["a", "b", "c"], paths: ["x", "y"] }, "a, b and c are all at x and y"],
  [{ event: "tasks_added", by: "Amber", tasks: "hostile" }, "Amber added 0 tasks: "],
])("%j reads as %s", (content, sentence) => {
  expect(eventSentence(content)).toBe(sentence);
});
