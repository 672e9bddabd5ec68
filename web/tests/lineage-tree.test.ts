import { expect, test } from "vitest";
import { familyOf } from "../src/session/lineage/tree.ts";

const one = (ref: string, of: string | null = null) => ({
  ref,
  of,
  title: ref,
  status: "active",
  relation: of && "spawned",
});

test("a family reads from the eldest down, children under their parent, the older first", () => {
  const family = familyOf([one("mother", "grandmother"), one("grandmother")], one("self", "mother"), [
    one("first", "self"),
    one("second", "self"),
    one("grandchild", "first"),
  ]);
  expect(family.map(({ ref, depth }) => `${depth} ${ref}`)).toEqual([
    "0 grandmother",
    "1 mother",
    "2 self",
    "3 first",
    "4 grandchild",
    "3 second",
  ]);
});
