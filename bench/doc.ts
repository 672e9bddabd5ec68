import { randomBytes } from "node:crypto";
import { Connection, get, post } from "./client.ts";
import type { Lab, Team } from "./lab.ts";
import { median, type Report } from "./report.ts";

const APPENDS = 1_000;
const EDGE = 100;

/** What a document costs that grows by a kilobyte a thousand times. */
export async function doc(lab: Lab, report: Report) {
  const parley = await lab.startParley();
  const connection = await Connection.open(parley.port);
  const [team] = (await lab.seat(1)).teams as [Team];
  const append = () =>
    connection.send(
      post(`/api/sessions/${team.session}/doc/append`, { text: randomBytes(765).toString("base64") }, team.teamId),
    );
  const read = () => connection.send(get(`/api/sessions/${team.session}/doc`, team.teamId));

  await lab.superuser.query("checkpoint");
  const before = await databaseSize(lab);
  const appends: number[] = [];
  const readsAtStart: number[] = [];
  for (let i = 1; i <= APPENDS; i++) {
    appends.push(await timeOf(append));
    if (i <= 20) readsAtStart.push(await timeOf(read));
  }
  const right = await databaseSize(lab);
  await lab.superuser.query("vacuum");
  await lab.superuser.query("checkpoint");
  const later = await databaseSize(lab);
  const readsAtEnd: number[] = [];
  for (let i = 0; i < 20; i++) readsAtEnd.push(await timeOf(read));
  const content = (JSON.parse((await read()).body) as { content: string }).content.length;
  const hostile = await appendsToHeadings(lab, connection);
  connection.close();
  await parley.stop();

  const mb = (bytes: number) => (bytes - before) / 1_048_576;
  const [atStart, atEnd] = [median(appends.slice(0, EDGE)), median(appends.slice(-EDGE))];
  report.table(
    `A document of ${APPENDS} appends of 1 KB (${Math.round(content / 1_024)} KB of random text)`,
    ["figure", "value"],
    [
      ["database growth, MB", mb(right)],
      ["… after vacuum and checkpoint, MB", mb(later)],
      [`append, ms (median of the first ${EDGE})`, atStart],
      [`append, ms (median of the last ${EDGE})`, atEnd],
      ["slowest append, ms", Math.max(...appends)],
      ["read at the start, ms", median(readsAtStart)],
      ["read at the end, ms", median(readsAtEnd)],
      ["append to 1 MB of headings, ms", hostile.plain],
      ["append to a section of it, ms", hostile.section],
      ["… as a multiple of the other", hostile.section / hostile.plain],
    ],
  );
  report.goal("1,000 appends of 1 KB, growth of the database", Math.max(mb(right), mb(later)), " MB", "≤", 10);
  report.goal("append to a section of 1 MB of headings", hostile.section, " ms", "≤", 100);
}

/** A mebibyte of nothing but headings: what an append to a section of it takes, beside one to its end. */
async function appendsToHeadings(lab: Lab, connection: Connection) {
  const [team] = (await lab.seat(1)).teams as [Team];
  const at = `/api/sessions/${team.session}/doc`;
  await connection.send(post(at, { content: "#\n".repeat(500_000), expected_version: 0 }, team.teamId));
  const times = async (more: object) => {
    const all: number[] = [];
    for (let i = 0; i < 20; i++)
      all.push(await timeOf(() => connection.send(post(`${at}/append`, { text: "- a note", ...more }, team.teamId))));
    return median(all);
  };
  return { plain: await times({}), section: await times({ section: "Notes" }) };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function databaseSize({ superuser }: Lab): Promise<number> {
  const { rows } = await superuser.query<{ size: string }>("select pg_database_size(current_database()) as size");
  return Number(rows[0]?.size);
}
