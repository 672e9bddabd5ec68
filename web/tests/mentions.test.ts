import { expect, test } from "vitest";
import { completed, HUMANS, mentionAt, mentionsIn, suggestions } from "../src/session/composer/mentions.ts";

const TEAMS = [
  { handle: "team-blue", teamName: "Team Blue" },
  { handle: "alexs-team", teamName: "Alex's Team" },
  { handle: "blueprint", teamName: "Drawings" },
];
const HANDLES = TEAMS.map(({ handle }) => handle);

test("a text names whom it calls by their handle, and nobody else", () => {
  expect(mentionsIn("@team-blue and (@alexs-team), @team-blue again; @nobody", HANDLES)).toEqual([
    "team-blue",
    "alexs-team",
  ]);
  expect(mentionsIn("ask @humans", HANDLES)).toEqual([HUMANS]);
  expect(mentionsIn("mail me@team-blue, or @@team-blue, or @team-bluest", HANDLES)).toEqual([]);
});

test("a name is completed while it is typed behind an @, wherever in the text", () => {
  expect(mentionAt("look, @te", 9)).toBe("te");
  expect(mentionAt("@", 1)).toBe("");
  expect(mentionAt("look, @te", 5)).toBeUndefined();
  expect(mentionAt("me@te", 5)).toBeUndefined();
  expect(completed("ask @te now", 7, "te", "team-blue")).toEqual(["ask @team-blue now", 15]);
});

test("who has it at the beginning of the handle comes first, then any person, then who has it in the name", () => {
  const names = (typed: string) => suggestions(typed, TEAMS).map((one) => (one === HUMANS ? one : one.handle));
  expect(names("")).toEqual(["team-blue", "alexs-team", "blueprint", HUMANS]);
  expect(names("BLUE")).toEqual(["blueprint", "team-blue"]);
  expect(names("hu")).toEqual([HUMANS]);
  expect(names("zzz")).toEqual([]);
});
