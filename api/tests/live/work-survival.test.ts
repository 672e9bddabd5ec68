import { expect, test } from "vitest";
import { startOwnPostgres } from "../../../testing/faults.ts";
import { startTestServer, type Team, type TestServer } from "../../../testing/server.ts";

const TEAMS = 50;
const TASKS = 200;

/** Asks until there is an answer: the database may be away for a moment. */
async function persist(parley: TestServer, path: string, body: object, team: Team) {
  for (;;) {
    const answer = await parley.post(`/sessions/${team.ref}/${path}`, body, team);
    if (answer.status < 500) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Takes tasks and finishes them. Whose answer got lost asks what it holds. */
async function work(parley: TestServer, team: Team, onDone: () => void): Promise<number[]> {
  const did: number[] = [];
  const finish = async (task: number) => {
    const { status, body } = await persist(parley, `tasks/${task}`, { status: "done", result: team.handle }, team);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    did.push(task);
    onDone();
  };
  for (;;) {
    const claimed = await parley.post(`/sessions/${team.ref}/tasks/claim`, {}, team);
    if (claimed.status === 200 && claimed.body.task === null) return did;
    if (claimed.status === 200) await finish(claimed.body.task);
    else {
      const mine = await parley.get(`/sessions/${team.ref}/tasks?mine=true`, team);
      for (const { task } of mine.body.tasks ?? []) await finish(task);
    }
  }
}

test("fifty teams do two hundred tasks, each once, though the database dies in between", async () => {
  const postgres = await startOwnPostgres();
  const parley = await startTestServer({ database: postgres.database });
  try {
    const convener = await parley.create("Convener");
    const teams = [convener];
    while (teams.length < TEAMS) teams.push(await parley.join(convener, "Team"));
    for (let n = 0; n < TASKS / 100; n++)
      await persist(parley, "tasks", { tasks: Array.from({ length: 100 }, (_, i) => `Task ${i}`) }, convener);
    let done = 0;
    const onDone = () => {
      if (++done === TASKS / 4 || done === TASKS / 2) postgres.kill();
    };
    const did = (await Promise.all(teams.map((team) => work(parley, team, onDone)))).flat();
    expect(done).toBeGreaterThanOrEqual(TASKS);
    expect(new Set(did).size).toBe(TASKS);
    const { body } = await parley.get(`/sessions/${convener.ref}/tasks`, convener);
    expect(body).toMatchObject({ open: 0, claimed: 0, done: TASKS });
    // Each was claimed by one team and finished by the same, in the order of the feed, without a gap.
    const history: { event?: string; task: number; handle: string; cursor: number }[] = [];
    for (let before: number | null = 10_000; before !== null; ) {
      const page: { messages: typeof history; next_cursor: number | null } = (
        await parley.get(`/sessions/${convener.ref}/messages?limit=500&before_cursor=${before}`, convener)
      ).body;
      history.unshift(...page.messages);
      before = page.next_cursor;
    }
    expect(history.map(({ cursor }) => cursor)).toEqual(history.map((_, i) => i + 1));
    const told = (event: string) => history.filter((message) => message.event === event);
    expect(told("task_claimed")).toHaveLength(TASKS);
    expect(told("task_done")).toHaveLength(TASKS);
    const holder = new Map(told("task_claimed").map(({ task, handle }) => [task, handle]));
    for (const { task, handle } of told("task_done")) expect(holder.get(task)).toBe(handle);
  } finally {
    await parley.stop();
    await postgres.stop();
  }
});
