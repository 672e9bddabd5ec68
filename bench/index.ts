import { availableParallelism, cpus } from "node:os";
import { agents } from "./agents.ts";
import { depth } from "./depth.ts";
import { digest } from "./digest.ts";
import { doc } from "./doc.ts";
import { doors } from "./doors.ts";
import { family } from "./family.ts";
import { growth } from "./growth.ts";
import { openLab } from "./lab.ts";
import { memory } from "./memory.ts";
import { posts } from "./posts.ts";
import { Report } from "./report.ts";
import { rules } from "./rules.ts";
import { subscribers } from "./subscribers.ts";
import { tasks } from "./tasks.ts";
import { transcript } from "./transcript.ts";
import { wake } from "./wake.ts";

// Growth and depth come last: a million messages would take the cache and the vacuum of the others.
const benches = {
  posts,
  rules,
  wake,
  subscribers,
  memory,
  doc,
  digest,
  doors,
  family,
  tasks,
  transcript,
  agents,
  growth,
  depth,
};
const AT_MOST_MS = 8 * 60_000;

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !Object.hasOwn(benches, name));
if (unknown) {
  console.error(`There is no bench ${unknown}: choose from ${Object.keys(benches).join(", ")}.`);
  process.exit(1);
}

const lab = await openLab();
const cut = async (why: string) => {
  console.error(why);
  await lab.close();
  process.exit(1);
};
setTimeout(() => cut("The bench took too long."), AT_MOST_MS).unref();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => cut("Stopped."));

const report = new Report();
try {
  const { rows } = await lab.superuser.query<{ server_version: string }>("show server_version");
  console.log(
    `# Bench\n\nNode ${process.version}, PostgreSQL ${rows[0]?.server_version} with fsync, ${availableParallelism()} × ${cpus()[0]?.model.trim()}.`,
  );
  for (const [name, bench] of Object.entries(benches)) {
    if (asked.length === 0 || asked.includes(name)) await bench(lab, report);
  }
  report.end();
} finally {
  await lab.close();
}
