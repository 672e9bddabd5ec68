import { runDemo } from "../../demo/index.ts";
import { command, WHERE } from "../command.ts";
import { findAddress } from "../connection/address.ts";
import { reason } from "../connection/api.ts";
import { keyHeader } from "../connection/key.ts";
import { Away, Trouble } from "../errors.ts";
import { onlyRef } from "../input.ts";
import { interruption } from "../interrupt.ts";
import { line, print } from "../output.ts";

export const demo = command({
  help: `parley demo: scripted teams solve a small task, and others pick it up; watch it on the page.

  --fast              without the pauses that make it readable
  --url <link>        the address; default: see parley doctor`,
  options: { ...WHERE, fast: { type: "boolean" } },
  async run(values, positionals) {
    onlyRef(positionals);
    if (!("withResolvers" in Promise))
      throw new Trouble("The demo needs Node 22 or newer; all else runs on older ones.");
    const { base } = findAddress({ url: values.url });
    const signal = interruption();
    await fetch(`${base}/livez`).catch((error) => {
      throw new Away(
        `${base} cannot be reached (${reason(error)}). Start Parley there first: npm start. If it is elsewhere, say --url <link> or set MCP_URL.`,
      );
    });
    try {
      await runDemo({
        url: base,
        headers: keyHeader(base),
        pace: values.fast ? 0 : 1,
        signal,
        onStep: (step) => void print(line(step)),
      });
    } catch (error) {
      if (signal.aborted) return 130;
      throw new Trouble((error as Error).message);
    }
    return 0;
  },
});
