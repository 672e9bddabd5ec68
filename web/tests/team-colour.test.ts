import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { teamColour } from "../src/session/team-colour.ts";

type Oklch = [lightness: number, chroma: number, hue: number];

const colours = (css: string, block: string): Record<string, Oklch> => {
  const [, body = ""] = css.split(`${block} {`);
  const found = body.slice(0, body.indexOf("}")).matchAll(/--([\w-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g);
  return Object.fromEntries([...found].map(([, name, l, c, h]) => [name, [Number(l), Number(c), Number(h)]]));
};

/** Oklab, and linear RGB of it. */
const labOf = ([l, c, h]: Oklch) => [l, c * Math.cos((h * Math.PI) / 180), c * Math.sin((h * Math.PI) / 180)] as const;

function luminance(colour: Oklch): number {
  const [l, a, b] = labOf(colour);
  const L = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const M = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const S = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const within = (part: number) => Math.min(1, Math.max(0, part));
  const red = within(4.0767416621 * L - 3.3077115913 * M + 0.2309699292 * S);
  const green = within(-1.2684380046 * L + 2.6097574011 * M - 0.3413193965 * S);
  const blue = within(-0.0041960863 * L - 0.7034186147 * M + 1.707614701 * S);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Oklch, other: Oklch): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const read = (path: string) => readFileSync(new URL(`../src/${path}`, import.meta.url), "utf8");

test.each([":root", ".dark"])(
  "the ten colours of %s are readable as text and under their ink, and far apart",
  (block) => {
    const { background } = colours(read("styles.css"), block) as { background: Oklch };
    const { "team-ink": ink, ...teams } = colours(read("session/team-colour.css"), block) as Record<string, Oklch>;
    const all = Object.entries(teams);
    expect(all).toHaveLength(10);
    const weak = all.filter(([, colour]) => contrast(colour, background) < 4.5 || contrast(colour, ink as Oklch) < 4.5);
    expect(
      weak.map(([name, c]) => [name, contrast(c, background).toFixed(2), contrast(c, ink as Oklch).toFixed(2)]),
    ).toEqual([]);
    const near = all.flatMap(([name, one], n) =>
      all.slice(n + 1).flatMap(([other, two]) => {
        const [a, b] = [labOf(one), labOf(two)];
        return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) < 0.07 ? [`${name} and ${other}`] : [];
      }),
    );
    expect(near).toEqual([]);
  },
);

test("colours are given in the order of joining, and begin again after ten", () => {
  expect([1, 10, 11].map(teamColour)).toEqual(["var(--team-1)", "var(--team-10)", "var(--team-1)"]);
});
