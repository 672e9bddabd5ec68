import fc from "fast-check";
import { expect, test } from "vitest";
import { stretchesOf } from "../src/session/markdown/stretches.ts";

test("no stretch of a text is long, whatever the text is", () => {
  const units = fc.constantFrom("a", "\n", " ", "👩‍💻", "\u0301", "word ", "line\n");
  fc.assert(
    fc.property(fc.array(units, { maxLength: 20 }), fc.integer({ min: 1, max: 2_000 }), (some, times) => {
      const text = some.join("").repeat(times);
      const stretches = stretchesOf(text);
      for (const stretch of stretches) {
        expect(stretch.length).toBeLessThanOrEqual(4_000);
        expect(stretch.isWellFormed()).toBe(true);
      }
      // A line end between two stretches is where the next one begins; nothing else is left out.
      expect(stretches.join("").replaceAll("\n", "")).toBe(text.replaceAll("\n", ""));
    }),
    { numRuns: 50 },
  );
});
