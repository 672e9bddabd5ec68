import { graphql, type ResultOf } from "@/lib/graphql.ts";

export const AuditEntryFragment = graphql(`
  fragment AuditEntryFields on AuditEntry @_unmask {
    id
    at
    actor
    event
    session
    details
  }
`);

export type AuditEntryData = ResultOf<typeof AuditEntryFragment>;

export const AuditQuery = graphql(
  `
    query Audit($before: BigInt) {
      listAudit(before: $before, limit: 50) {
        entries {
          ...AuditEntryFields
        }
        nextBefore
      }
    }
  `,
  [AuditEntryFragment],
);
