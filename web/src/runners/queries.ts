import { graphql, type ResultOf } from "@/lib/graphql.ts";

export const RunnersChanged = graphql(`
  subscription RunnersChanged {
    runnersChanged {
      query {
        listRunners { runners { runner agents repos accept maxRuns running queued offeredBy offeredAt expiresAt } }
      }
    }
  }
`);

export type Runner = NonNullable<
  NonNullable<NonNullable<ResultOf<typeof RunnersChanged>["runnersChanged"]>["query"]["listRunners"]>["runners"]
>[number];
