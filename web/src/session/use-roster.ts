import { useCallback, useEffect, useState } from "react";
import type { ResultOf } from "@/lib/graphql.ts";
import { useEvery } from "@/lib/time.ts";
import { pageClient } from "./page-client.ts";
import { RosterQuery } from "./queries.ts";

type Roster = NonNullable<ResultOf<typeof RosterQuery>["session"]>;

const LOOK_EVERY_MS = 10_000;

/** Time alone makes a team silent, and a wait that begins is not announced: beside its ticks the roster is looked at. */
export function useRoster(id: string, ticked: Roster | null | undefined): Roster | null | undefined {
  const [looked, setLooked] = useState<Roster>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a tick is newer than the last look
  useEffect(() => setLooked(undefined), [ticked]);
  useEvery(
    LOOK_EVERY_MS,
    useCallback(async () => {
      if (!id) return;
      const { data } = await pageClient.query(RosterQuery, { id }).toPromise();
      if (data?.session) setLooked(data.session);
    }, [id]),
  );
  return looked ?? ticked;
}
