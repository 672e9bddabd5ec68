import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { visible } from "../markdown/visible.ts";
import type { RelatedSession } from "../queries.ts";

export function SessionLinks({ sessions }: { sessions: readonly RelatedSession[] }) {
  return sessions.map(({ id, ref, title, state }, index) => (
    <Fragment key={id}>
      {index > 0 ? ", " : null}
      <Link
        to="/s/$ref"
        params={{ ref }}
        title={`${visible(title)} (${state})`}
        className="font-mono text-foreground underline decoration-border underline-offset-2 hover:decoration-current"
      >
        {ref}
      </Link>
    </Fragment>
  ));
}
