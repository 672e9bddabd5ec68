import type { Logger } from "pino";
import { survive } from "../survive.ts";
import type { Events } from "./events.ts";

type Ask = (text: string, values: unknown[]) => Promise<{ rows: { indexed: number }[] }>;

const KIND = "words";
const AT_ONCE = 1_000;

/** Indexes the words of sessions that posts have told of, one after the other; what is left out the sweep finds. */
export function indexWords(ask: Ask, events: Events, log: Logger) {
  const due = new Set<string>();
  let working: Promise<void> | undefined;
  let stopped = false;
  const work = async () => {
    for (const session of due) {
      due.delete(session);
      for (let indexed = AT_ONCE; indexed >= AT_ONCE && !stopped; ) {
        const { rows } = await ask("select parley_private.index_words_in($1, $2) as indexed", [session, AT_ONCE]);
        indexed = rows[0]?.indexed ?? 0;
      }
    }
  };
  const unsubscribe = events.subscribe(`${KIND} *`, (topic) => {
    if (topic === undefined || stopped) return;
    due.add(topic.slice(KIND.length + 1));
    working ??= work()
      .catch((err) => survive(log, "words", err, "words were not indexed yet; the next sweep does it", "warn"))
      .finally(() => {
        working = undefined;
      });
  });
  return {
    async stop() {
      stopped = true;
      unsubscribe();
      await working;
    },
  };
}
