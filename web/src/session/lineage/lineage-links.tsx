import type { Lineage } from "../store/session-store.ts";
import { SessionLinks } from "./session-links.tsx";

/** Where the session comes from and where it goes on. */
export function LineageLinks({ lineage: { continues, continuations } }: { lineage: Lineage }) {
  return (
    <>
      {continues ? (
        <span>
          Continues <SessionLinks sessions={[continues]} />
        </span>
      ) : null}
      {continuations.length > 0 ? (
        <span>
          Continued in <SessionLinks sessions={continuations} />
        </span>
      ) : null}
    </>
  );
}
