import { expect, test } from "vitest";
import { nameOf } from "../src/session/team-name.ts";

test("teams whose names look the same are told apart by their handles", () => {
  const roster = [
    { handle: "blue", teamName: "Blue" },
    { handle: "blue-2", teamName: "ＢＬＵＥ " },
    { handle: "red", teamName: "Red" },
  ];
  expect(roster.map(({ handle }) => nameOf(handle, roster))).toEqual(["Blue (blue)", "ＢＬＵＥ  (blue-2)", "Red"]);
});
