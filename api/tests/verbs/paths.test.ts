import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rolledBack } from "../../../testing/postgres.ts";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";
import { refusal, workers } from "./work.ts";

let parley: TestServer;
beforeAll(async () => {
  parley = await startTestServer();
});
afterAll(() => parley.stop());

const { add, claim, done, events, must, paths, set, silence, sweep, take, update } = workers(() => parley);

async function two(): Promise<[Team, Team]> {
  const a = await parley.create("Amber");
  return [a, await parley.join(a, "Blue")];
}

const held = async (team: Team) =>
  (await paths.list(team)).paths.map((h: { path: string; claimed_by: string; task?: number }) => [
    h.path,
    h.claimed_by,
    ...(h.task ? [h.task] : []),
  ]);

const MEET: [string, string][] = [
  ["src/a.ts", "src/a.ts"],
  ["src/a.ts", "./src/a.ts"],
  ["src/", "src/a.ts"],
  ["src", "src/a.ts"],
  ["src/", "src/deep/down/a.ts"],
  ["src/*.ts", "src/a.ts"],
  ["src/*", "src/deep/a.ts"],
  ["src/*/a.ts", "src/deep/"],
  ["src/*.d/", "src/x.d/deep/a.ts"],
  ["src/x.d", "src/x.d/**/a.ts"],
  ["src/**", "src/deep/a.ts"],
  ["src/**/a.ts", "src/a.ts"],
  ["src/**/a.ts", "src/x/y/a.ts"],
  ["**/*.sql", "db/functions/x.sql"],
  ["**/*.sql", "db/"],
  ["*.sql", "db/functions/x.sql"],
  ["**", "anything/at/all"],
  ["src/*.ts", "src/a*"],
  ["src/a*.ts", "src/*b.ts"],
  ["src/*/x/**", "src/y/*/z"],
  ["**/tests/**", "db/tests/races.ts"],
  ["src/100%_\\".slice(0, -1), "src/*%_"],
  ["src/[id]/page.tsx", "src/*/page.tsx"],
  ["src/[id]", "src/[id]/page.tsx"],
  ["src/?.ts", "src/a.ts"],
  ["src/[ab].ts", "src/a.ts"],
  ["src/*.{ts,tsx}", "src/a.ts"],
  ["src/{api/v1,web}/*.ts", "src/api/v1/a.ts"],
  ["README.md", "readme.md"],
  ["docs/\u00e9t\u00e9/", "docs/e\u0301te\u0301/plan.md"],
];
const DO_NOT_MEET: [string, string][] = [
  ["src/a.ts", "src/b.ts"],
  ["src/a", "src/ab"],
  ["src/", "src2/"],
  ["src/*.ts", "src/*.sql"],
  ["src/*.ts", "src/a.tsx"],
  ["src/*.ts", "lib/a.ts"],
  ["README.md", "docs/README.md"],
  ["src/a*.ts", "src/b*.ts"],
  ["**/*.sql", "src/a.ts"],
  ["*.sql", "src/a.ts"],
  ["src/*/a.ts", "src/x/b.ts"],
  ["src/**/a.ts", "lib/a.ts"],
  ["src/a%.ts", "src/ab.ts"],
  ["src/*/a.ts", "src/b.ts"],
  ["Dockerfile", "**/*.sql"],
  ["src/*.ts", "src/**/*.sql"],
  ["src/?.ts", "src/ab.ts"],
  ["src/[id]/page.tsx", "src/blog/page.tsx"],
  ["src/*.{ts,tsx}", "lib/a.ts"],
  ["src/{{name}}.ts", "src/other.ts"],
];

describe("claiming paths", () => {
  test.each(MEET)("%s and %s collide, whoever is first", async (one, other) => {
    for (const [first, second] of [
      [one, other],
      [other, one],
    ] as [string, string][]) {
      const [a, b] = await two();
      must(await paths.claim(a, first));
      expect(await paths.claim(b, second)).toMatchObject(
        refusal(409, "already_claimed", { by: "amber", collisions: [{ by: "amber" }] }),
      );
      expect(await held(a)).toHaveLength(1);
    }
  });

  test.each(DO_NOT_MEET)("%s and %s do not", async (one, other) => {
    const [a, b] = await two();
    must(await paths.claim(a, one));
    must(await paths.claim(b, other));
    expect(await held(a)).toHaveLength(2);
  });

  test("names each collision with its holder, and claims nothing", async () => {
    const [a, b] = await two();
    const c = await parley.join(a, "Green");
    must(await parley.post(`/sessions/${a.ref}/paths/claim`, { paths: ["src/api/"], note: "the new router" }, a));
    must(await paths.claim(b, "db/*.sql"));
    const { body } = await paths.claim(c, "src/api/main.ts", "docs/", "db/x.sql");
    expect(body.error.details.collisions).toEqual([
      { path: "src/api/main.ts", held: "src/api/", by: "amber", note: "the new router", until: expect.any(String) },
      { path: "db/x.sql", held: "db/*.sql", by: "blue", until: expect.any(String) },
    ]);
    expect(await held(c)).toEqual([
      ["db/*.sql", "blue"],
      ["src/api/", "amber"],
    ]);
  });

  test("answers with what is held and until when; the same again is no mistake; one's own do not collide", async () => {
    const [a] = await two();
    const { claimed, expires_at } = must(await paths.claim(a, "src/", "docs/guide.md", "src/"));
    expect(claimed).toEqual(["src/", "docs/guide.md"]);
    expect(new Date(expires_at).getTime()).toBeGreaterThan(Date.now() + 900_000);
    must(await paths.claim(a, "src/", "src/a.ts"));
    expect(await held(a)).toHaveLength(3);
  });

  test.each([
    "",
    " ",
    "/etc/passwd",
    "../x",
    "a/../b",
    "a/..",
    ".",
    "a//b",
    "a\\b",
    "x".repeat(501),
    "*".repeat(17),
    "?".repeat(17),
    "[ab]".repeat(17),
    "{a,b}".repeat(17),
    `${"a/".repeat(32)}*`,
  ])("%j is refused", async (path) => {
    const [a] = await two();
    expect(await paths.claim(a, "fine.ts", path)).toMatchObject(
      refusal(400, "invalid_argument", { field: "paths[1]" }),
    );
    expect(await held(a)).toEqual([]);
  });

  test("none, and too many, are refused", async () => {
    const [a] = await two();
    expect(await paths.claim(a)).toMatchObject(refusal(400, "invalid_argument", { field: "paths" }));
    const many = Array.from({ length: 201 }, (_, n) => `f${n}`);
    expect(await paths.claim(a, ...many)).toMatchObject(refusal(400, "invalid_argument", { field: "paths" }));
    for (let n = 0; n < 5; n++) must(await paths.claim(a, ...many.slice(1).map((path) => `d${n}/${path}`)));
    expect(await paths.claim(a, "one-more")).toMatchObject(refusal(400, "invalid_argument", { field: "paths" }));
  });

  test("releasing frees some or all, and never what a task holds", async () => {
    const [a, b] = await two();
    await add(a, { title: "One", paths: ["db/"] });
    await take(a);
    must(await paths.claim(a, "src/", "docs/", "web/"));
    expect(must(await paths.release(a, { paths: ["docs/", "not/held", "db/"] })).released).toEqual(["docs/"]);
    expect(must(await paths.release(b)).released).toEqual([]);
    expect(must(await paths.release(a)).released).toEqual(["src/", "web/"]);
    expect(await held(a)).toEqual([["db/", "amber", 1]]);
    must(await paths.claim(b, "src/x.ts"));
  });

  test("they are leases: gone with the team, or when nothing is heard of it", async () => {
    const [a, b] = await two();
    must(await paths.claim(b, "src/"));
    await silence(b, "1 hour");
    must(await paths.claim(a, "src/a.ts"));
    must(await paths.claim(b, "db/"));
    await silence(b, "1 hour");
    await sweep();
    expect(await held(a)).toEqual([["src/a.ts", "amber"]]);
    must(await paths.claim(b, "web/"));
    await parley.post(`/sessions/${a.ref}/leave`, {}, b);
    expect(await held(a)).toEqual([["src/a.ts", "amber"]]);
  });
});

describe("a task that is claimed holds its paths", () => {
  test("for as long as it is, and the next in line leaves out what others hold", async () => {
    const [a, b] = await two();
    await add(
      a,
      { title: "One", paths: ["src/api/"] },
      { title: "Two", paths: ["src/api/x.ts"] },
      { title: "Three", paths: ["src/web/"] },
    );
    expect(await take(a)).toBe(1);
    expect(await paths.claim(b, "src/**/x.ts")).toMatchObject(
      refusal(409, "already_claimed", { collisions: [{ task: 1, held: "src/api/" }] }),
    );
    expect(await take(b)).toBe(3);
    expect(await claim(b)).toMatchObject({ body: { task: null, open: 1, claimed: 2 } });
    expect(await claim(b, { task: 2 })).toMatchObject(refusal(409, "already_claimed", { by: "amber" }));
    // One's own are no hindrance.
    expect(await take(a)).toBe(2);
    await done(a, 1);
    expect(await held(b)).toEqual([
      ["src/api/x.ts", "amber", 2],
      ["src/web/", "blue", 3],
    ]);
    must(await update(a, 2, { status: "open" }));
    expect(await take(b)).toBe(2);
  });

  test("changing them changes what is held, unless another holds it", async () => {
    const [a, b] = await two();
    await add(a, { title: "One", paths: ["src/"] });
    await take(b);
    must(await paths.claim(a, "web/"));
    expect(await update(b, 1, { paths: ["web/x.ts"] })).toMatchObject(refusal(409, "already_claimed", { by: "amber" }));
    must(await update(b, 1, { paths: ["db/"] }));
    expect(await held(a)).toEqual([
      ["db/", "blue", 1],
      ["web/", "amber"],
    ]);
  });
});

describe("patterns", () => {
  const numbered = (n: number, name: (nth: number) => string) => Array.from({ length: n }, (_, nth) => name(nth));

  test("are bounded per team and per session, also where tasks hold them; files and folders are not", async () => {
    const [a, b] = await two();
    await set("patterns_per_session", 60);
    try {
      must(await paths.claim(a, ...numbered(50, (n) => `a${n}/*.ts`)));
      must(await paths.claim(a, "docs/", ...numbered(100, (n) => `files/${n}.ts`), "a0/*.ts"));
      const tooMany = refusal(409, "too_many_patterns", { hint: expect.any(String) });
      expect(await paths.claim(a, "a/*.ts")).toMatchObject(tooMany);
      const more = numbered(51, (n) => `c${n}/*.ts`);
      expect(await paths.claim(a, ...more)).toMatchObject(refusal(400, "invalid_argument", { field: "paths" }));
      expect(await parley.post(`/sessions/${a.ref}/tasks`, { tasks: [{ title: "T", paths: more }] }, a)).toMatchObject(
        refusal(400, "invalid_argument", { field: "tasks[0].paths" }),
      );
      await add(a, { title: "One", paths: ["one/*.ts"] });
      expect(await claim(a)).toMatchObject(tooMany);
      must(await paths.claim(b, ...numbered(10, (n) => `b${n}/*.ts`)));
      expect(await paths.claim(b, "b/*.ts")).toMatchObject(tooMany);
      must(await paths.release(b, { paths: ["b0/*.ts"] }));
      expect(await take(b)).toBe(1);
    } finally {
      await set("patterns_per_session", 500);
    }
  });

  test("hundreds are compared with as many as may be claimed within seconds, however they look", async () => {
    const a = await parley.create("Amber");
    const deep = (end: string) => `${"a/**/".repeat(4)}${end}`;
    for (let team = 0; team < 4; team++) {
      const holder = await parley.join(a, "Holder");
      must(await paths.claim(holder, ...numbered(50, (n) => deep(`${team}-${n}.p`))));
    }
    const b = await parley.join(a, "Blue");
    const started = performance.now();
    must(await paths.claim(b, ...numbered(50, (n) => deep(`${n}.q`))));
    expect(performance.now() - started).toBeLessThan(4000);
  });
});

describe("reporting what was changed", () => {
  const report = async (team: Team, list: string[], more: object = {}) =>
    must(await paths.report(team, { paths: list, ...more }));
  const overlaps = async (team: Team) =>
    (await events(team))
      .filter(({ event }) => event === "paths_overlap")
      .map(({ teams, paths: told }) => ({ teams, paths: told }));

  test("names what others have claimed or changed, and tells each new overlap once", async () => {
    const [a, b] = await two();
    const c = await parley.join(a, "Green");
    must(await paths.claim(a, "src/*.ts"));
    await add(a, { title: "One", paths: ["db/"] });
    await take(c);
    expect(await report(b, ["docs/x.md"], { branch: "blue", head: "3f2a91c" })).toMatchObject({
      changed: 1,
      overlaps: [],
    });
    const changed = ["docs/x.md", "src/a.ts", "src/deep/a.ts", "db/x.sql"];
    const first = await report(b, changed, { branch: "blue" });
    expect(first.overlaps).toEqual([
      { path: "db/x.sql", handle: "green", claimed: "db/", task: 1 },
      { path: "src/a.ts", handle: "amber", claimed: "src/*.ts" },
    ]);
    expect((await report(b, changed, { branch: "blue" })).overlaps).toEqual(first.overlaps);
    expect(await overlaps(a)).toEqual([
      { teams: ["blue", "amber"], paths: ["src/a.ts"] },
      { teams: ["blue", "green"], paths: ["db/x.sql"] },
    ]);
    // The other team finds the same: that is known. What is changed by both as well.
    expect((await report(a, ["src/a.ts", "docs/x.md"], { branch: "amber" })).overlaps).toEqual([
      { path: "docs/x.md", handle: "blue", branch: "blue" },
      { path: "src/a.ts", handle: "blue", branch: "blue" },
    ]);
    expect((await overlaps(a)).slice(2)).toEqual([{ teams: ["amber", "blue"], paths: ["docs/x.md"] }]);
  });

  test("whoever holds what another has changed reports what it likes: that is known, until it lets go", async () => {
    const [a, b] = await two();
    must(await paths.claim(a, "src/"));
    await report(b, ["src/a.ts"]);
    await report(a, ["docs/x.md"]);
    await report(b, ["src/a.ts"]);
    expect(await overlaps(a)).toHaveLength(1);
    must(await paths.release(a));
    await report(a, ["docs/x.md"]);
    must(await paths.claim(a, "src/a.ts"));
    await report(b, ["src/a.ts"]);
    expect(await overlaps(a)).toHaveLength(2);
  });

  test("replaces what was said of the branch before; what is over and comes again is told again", async () => {
    const [a, b] = await two();
    must(await paths.claim(a, "src/"));
    await report(b, ["src/a.ts"], { branch: "one" });
    expect((await report(b, [], { branch: "one" })).changed).toBe(0);
    expect(await report(b, ["src/a.ts"], { branch: "one" })).toMatchObject({ changed: 1 });
    expect(await overlaps(a)).toHaveLength(2);
    expect(await report(b, ["docs/y.md"], { branch: "two" })).toMatchObject({ changed: 2 });
    const { changes } = await paths.list(a);
    expect(changes).toMatchObject([
      { handle: "blue", branch: "one", paths: 1 },
      { handle: "blue", branch: "two", paths: 1 },
    ]);
  });

  test("is answered, however many patterns others hold", async () => {
    const a = await parley.create("Amber");
    for (let from = 100; from < 500; from += 50) {
      const holder = await parley.join(a, "Holder");
      must(await paths.claim(holder, ...Array.from({ length: 50 }, (_, n) => `src/*/a*a*a*a*a${from + n}`)));
    }
    const changed = Array.from({ length: 700 }, (_, n) => `src/deep/${"a".repeat(60)}${n}`);
    expect((await report(a, changed)).overlaps).toHaveLength(200);
  });

  test("what has brackets in its name is a file; what has a star is a pattern, of which there may be few", async () => {
    const [a, b] = await two();
    must(await paths.claim(a, "app/blog/page.tsx", "app/[id]/*.css"));
    expect((await report(b, ["app/[id]/page.tsx", "app/[blog]/page.tsx"])).overlaps).toEqual([]);
    expect((await report(b, ["app/*/page.tsx"])).overlaps).toMatchObject([{ claimed: "app/blog/page.tsx" }]);
    const patterns = Array.from({ length: 51 }, (_, n) => `${n}/*`);
    expect(await paths.report(b, { paths: patterns })).toMatchObject(
      refusal(400, "invalid_argument", { field: "paths" }),
    );
    expect((await report(b, ["app/[id]/a.css"])).overlaps).toMatchObject([{ claimed: "app/[id]/*.css" }]);
  });

  test("paths that lead out, and too many, are refused", async () => {
    const [a] = await two();
    expect(await paths.report(a, { paths: ["../x"] })).toMatchObject(refusal(400, "invalid_argument"));
    const many = Array.from({ length: 2001 }, (_, n) => `f${n}`);
    expect(await paths.report(a, { paths: many })).toMatchObject(refusal(400, "invalid_argument", { field: "paths" }));
    expect(await paths.report(a, {})).toMatchObject(refusal(400, "invalid_argument", { field: "paths" }));
  });
});

/** Patterns as regular expressions over paths: what is told of one by matching it, rather than by comparing it. */
const asRegex = (pattern: string) => {
  const anchored = /[*?[{]/.test(pattern) && !/.\/./.test(pattern) ? `**/${pattern}` : pattern;
  const parts = anchored.replace(/\/$/, "").split("/");
  const body = parts.map((part, i) => {
    const last = i === parts.length - 1;
    if (part === "**") return last ? ".*" : "(?:.*/)?";
    const text = part
      .replace(/\[(.+?)\]/g, (class_, of) => `(?:[${of}]|${class_.replace(/[[\]]/g, "\\$&")})`)
      .replace(/\?(?!:)/g, "[^/]")
      .replaceAll("*", "[^/]*")
      .replace(/\{(.+),(.+)\}/g, "(?:$1|$2)");
    return text + (last ? "" : "/");
  });
  return new RegExp(`^${body.join("")}${pattern.endsWith("/") ? "/.*" : ""}$`, "i");
};

test("whatever two patterns both match, they are found to collide at, in either order", async () => {
  const [a, b] = await two();
  const letters = ["a", "b", "AB", "ab", "[ab]"];
  const files = letters.flatMap((x) => [
    x,
    ...letters.flatMap((y) => [`${x}/${y}`, ...letters.map((z) => `${x}/${y}/${z}`)]),
  ]);
  const part = fc.constantFrom("a", "b", "AB", "*", "**", "a*", "*b", "?", "?b", "a?", "[ab]", "[a-b]b", "{a,b}b");
  const pattern = fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "", "/"))
    .map(([parts, end]) => parts.join("/") + end);
  let compared = 0;
  let apart = 0;
  await rolledBack(parley.database.url(), (client) =>
    fc.assert(
      fc.asyncProperty(fc.uniqueArray(pattern, { minLength: 2, maxLength: 40 }), async (patterns) => {
        await client.query("delete from parley.held_paths where session_id = $1", [a.session_id]);
        const team = "(select p from parley.participants p where p.session_id = $1 and p.handle = $2)";
        await client.query(`select parley_private.hold_paths(${team}, $3)`, [a.session_id, a.handle, patterns]);
        const { rows } = await client.query<{ path: string; held: string }>(
          `select c.path, c.held from parley_private.collisions($1, (${team}).id, $3) c`,
          [a.session_id, b.handle, patterns],
        );
        const met = new Set(rows.map(({ path, held }) => `${path} ${held}`));
        const matched = new Map(patterns.map((one) => [one, files.filter((file) => asRegex(one).test(file))]));
        for (const one of patterns)
          for (const other of patterns) {
            const both = matched.get(one)?.filter((file) => matched.get(other)?.includes(file)) ?? [];
            const found = met.has(`${one} ${other}`);
            expect(found, `${other} and ${one}`).toBe(met.has(`${other} ${one}`));
            if (both.length > 0) expect(found, `${one} and ${other} both match ${both[0]}`).toBe(true);
            compared++;
            if (!found) apart++;
          }
      }),
      { numRuns: 25 },
    ),
  );
  // Not by saying yes to everything.
  expect(apart).toBeGreaterThan(compared / 10);
});
