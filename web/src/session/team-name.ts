import { visible } from "./markdown/visible.ts";
import type { Participant } from "./queries.ts";

/** People read names; handles are for addressing. */
export const nameOf = (handle: string, roster: Participant[]): string =>
  visible(roster.find((team) => team.handle === handle)?.teamName ?? handle);
