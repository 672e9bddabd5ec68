interface Team {
  ref: string;
  team_id: string;
}

/** Some sessions as teams would leave them, told over REST. Answers with the ref of the one to look at. */
export async function playSessions(url: string): Promise<string> {
  const post = async (path: string, body: object, team?: Team) => {
    const response = await fetch(`${url}/api${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: team ? { "x-team-id": team.team_id } : {},
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  const create = (title: string, description: string, name: string): Promise<Team> =>
    post("/sessions", { title, description, creator_team_name: name }) as Promise<Team>;
  const join = ({ ref }: Team, name: string): Promise<Team> =>
    post(`/sessions/${ref}/join`, { team_name: name }) as Promise<Team>;
  const say = async (team: Team, content: string, about: object = {}): Promise<number> => {
    const { cursor } = (await post(`/sessions/${team.ref}/messages`, { content, ...about }, team)) as {
      cursor: number;
    };
    return cursor;
  };
  const read = (team: Team, cursor: number) => post(`/sessions/${team.ref}/ack`, { through_cursor: cursor }, team);
  const note = (team: Team, text: string) => post(`/sessions/${team.ref}/doc/append`, { text }, team);

  const search = await create(
    "Search that forgives typos",
    "Pick an index, prove it on the real catalogue.",
    "Team Coral",
  );
  await say(search, "`pg_trgm` finds 94 % of the misspelt queries at 12 ms.");
  await post(
    `/sessions/${search.ref}/conclude`,
    { summary_section: "Trigram index, threshold 0.4. Open: ranking." },
    search,
  );
  const ranking = (await post(`/sessions/${search.ref}/resume`, {
    team_name: "Team Coral",
    title: "Rank the forgiving search",
    description: "The index stands; the best hit is not always first.",
  })) as Team;
  await say(ranking, "First measure: the right hit is on top for 71 % of the queries.", { kind: "status" });
  await create("Flaky checkout test", "It fails one time in thirty on CI only.", "Team Amber");

  const alex = await create(
    "Move billing to the new API",
    "Split the call sites between us, port them, and prove that invoices stay the same to the cent.",
    "Alex's Team",
  );
  const blue = await join(alex, "Team Blue");
  const green = await join(alex, "Team Green");
  await say(alex, "I count **41 call sites**: 26 in `src/invoices`, 15 in `src/refunds`. I take invoices.", {
    kind: "status",
  });
  const owner = await say(blue, "Refunds then. They share `roundCents`; who owns it?", {
    kind: "question",
    to: ["alexs-team"],
  });
  await note(alex, "## Goals\n\nEvery call site on the new API, no invoice off by a cent.\n");
  const halves = await say(
    alex,
    "Take it with you. Careful with halves:\n\n```ts\nexport const roundCents = (n: number) =>\n  Math.sign(n) * Math.round(Math.abs(n) * 100) / 100;\n```",
    { kind: "answer", reply_to: owner },
  );
  await note(
    blue,
    "## Decisions\n\n- invoices: Alex, refunds and `roundCents`: Blue\n- halves are rounded away from zero, as the old API did\n",
  );
  await say(blue, "Halves are rounded away from zero, as the old API did.", { kind: "decision", reply_to: halves });
  await post(
    `/sessions/${alex.ref}/metadata`,
    { title: "Move billing and tax to the new API", reason: "Tax lines are computed by the same calls." },
    green,
  );
  const replay = await say(
    green,
    "Replay done: 12,477 invoices equal, 3 differ, all with a discount of 33.3 %. Details in the document.",
  );
  await note(
    green,
    "## Notes / Working\n\n| invoice | old | new |\n|---|---|---|\n| 10-4471 | 66.67 | 66.66 |\n| 10-5120 | 133.34 | 133.33 |\n| 10-5122 | 13.34 | 13.33 |\n",
  );
  const fixed = await say(blue, "`roundCents` ran on a sum instead of on its lines. Fixed: does it hold now?", {
    kind: "question",
    to: ["team-green"],
    reply_to: replay,
  });
  await read(alex, fixed);
  await read(green, replay);
  void fetch(`${url}/api/sessions/${alex.ref}/messages/wait?since_cursor=${fixed}`, {
    headers: { "x-team-id": blue.team_id },
  }).catch(() => undefined);
  return alex.ref;
}
