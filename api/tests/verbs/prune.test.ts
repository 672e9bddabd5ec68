import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Attribute, ResultType } from "../../verbs/catalogue.ts";
import { prune } from "../../verbs/prune.ts";

const attribute = (name: string, optional = false, composite?: ResultType): Attribute =>
  ({ name, optional, composite, type: "text" }) as Attribute;
const typeOf = (...attributes: Attribute[]): ResultType =>
  ({ name: "t", attributes, prunable: true, description: "", writer: undefined }) as ResultType;

const INNER = typeOf(attribute("x", true), attribute("y"), attribute("z", true));
const PLAIN = { ...typeOf(attribute("p")), prunable: false };
const OUTER = typeOf(
  attribute("a", true),
  attribute("inner", true, INNER),
  attribute("list", false, INNER),
  attribute("plain", false, PLAIN),
  attribute("b", true),
);

/** The same by way of values. */
function pruned(type: ResultType | undefined, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => pruned(type, item));
  if (!type?.prunable || typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).flatMap(([name, part]) => {
    const known = type.attributes.find((each) => each.name === name);
    return part === null && known?.optional ? [] : [[name, pruned(known?.composite, part)]];
  });
  return Object.fromEntries(kept);
}

describe("an answer is pruned", () => {
  test.each([
    ['{"a":null,"b":null}', "{}"],
    ['{"a":null,"plain":null,"b":null}', '{"plain":null}'],
    ['{"a":1,"b":null}', '{"a":1}'],
    ['{"a":null,"b":2}', '{"b":2}'],
    ['{"list":[{"x":null,"y":null,"z":null},null,[]],"b":null}', '{"list":[{"y":null},null,[]]}'],
    ['{"inner":{"x":1,"y":{"x":null},"z":null}}', '{"inner":{"x":1,"y":{"x":null}}}'],
    ['[{"a":null},{"a":0}]', '[{},{"a":0}]'],
    ['{"plain":{"a": null, "deep": [ 1, {"b": null} ]}, "a" : null }', '{"plain":{"a":null,"deep":[1,{"b":null}]}}'],
    ['{"a":"null , \\" }","plain":"\\\\","b":null}', '{"a":"null , \\" }","plain":"\\\\"}'],
    ['{"plain":12345678901234567890.10,"b":null}', '{"plain":12345678901234567890.10}'],
    ["{}", "{}"],
    ["null", "null"],
    ["[]", "[]"],
    ['"a b"', '"a b"'],
    ["1.50", "1.50"],
  ])("%s", (text, expected) => expect(prune(OUTER, text)).toBe(expected));

  test("as its values would be, whatever is in it, with and without spaces", () => {
    const json = fc.jsonValue({ maxDepth: 2 });
    const inner = fc.record({ x: json, y: json, z: fc.option(fc.string()) }, { requiredKeys: [] });
    const outer = fc.record(
      {
        a: fc.option(json),
        inner: fc.option(inner),
        list: fc.option(fc.array(fc.option(inner))),
        plain: json,
        b: fc.option(fc.string({ unit: "binary" })),
        unknown: json,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(outer, fc.array(outer)), fc.constantFrom(0, 1, "\t"), (value, spaces) => {
        const text = prune(OUTER, JSON.stringify(value, null, spaces));
        expect(text).toBe(JSON.stringify(pruned(OUTER, JSON.parse(JSON.stringify(value)))));
      }),
      { numRuns: 200 },
    );
  });

  test("and is left as it is where nothing can be missing", () => {
    expect(prune(PLAIN, '{"a": null}')).toBe('{"a": null}');
    expect(prune(undefined, " [ null ] ")).toBe(" [ null ] ");
  });
});
