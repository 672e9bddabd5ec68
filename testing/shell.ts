import { spawn } from "node:child_process";
import { expect } from "vitest";
import { until } from "./server.ts";

export const SHELLS = ["bash", "dash"] as const;
export type Shell = (typeof SHELLS)[number];

export const shellBlocks = (guide: string) =>
  [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block as string);
export const blockWith = (guide: string, words: string) =>
  shellBlocks(guide).find((block) => block.includes(words)) as string;

export interface Place {
  home: string;
  cwd: string;
  env?: Record<string, string>;
  shell?: Shell;
}

/** A shell that an agent types the blocks of the guide into, one after the other. */
export function openShell({ home, cwd, env = {}, shell: name = "bash" }: Place) {
  const shell = spawn(name, name === "bash" ? ["--norc"] : [], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, ...env },
  });
  let said = "";
  let complaints = "";
  shell.stdout.on("data", (data) => {
    said += data;
  });
  shell.stderr.on("data", (data) => {
    complaints += data;
  });
  let asked = 0;
  return {
    async run(block: string): Promise<{ output: string; code: number; complaints: string }> {
      const mark = `-- done ${++asked}:`;
      said = "";
      complaints = "";
      shell.stdin.write(`${block}\nprintf '\\n%s%s\\n' '${mark}' $?\nprintf %s '${mark}' >&2\n`);
      await until(
        () => new RegExp(`${mark}\\d+\\n`).test(said) && complaints.includes(mark),
        `the shell to be done with ${block}`,
        20_000,
      );
      const [output = "", code] = said.split(`\n${mark}`);
      return { output, code: Number(code), complaints: complaints.replace(mark, "") };
    },
    /** The same, for what goes well in silence: its output. */
    async succeed(block: string): Promise<string> {
      const { output, code, complaints } = await this.run(block);
      expect([block, code, complaints, output]).toEqual([block, 0, "", output]);
      return output;
    },
    close: () => shell.kill(),
  };
}
