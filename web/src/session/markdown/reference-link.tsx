import { useContext } from "react";
import { JumpLink } from "../feed/jump-link.tsx";
import { StoreContext } from "../store/session-provider.tsx";
import type { SessionStore } from "../store/session-store.ts";
import { useShow } from "../use-show.ts";

interface ReferenceLinkProps {
  to: string;
  children: React.ReactNode;
}

/** A link to something of the session that is shown; where there is no such thing, what was written. */
export function ReferenceLink({ to, children }: ReferenceLinkProps) {
  const store = useContext(StoreContext);
  return store ? (
    <Within store={store} to={to}>
      {children}
    </Within>
  ) : (
    children
  );
}

function Within({ store, to, children }: ReferenceLinkProps & { store: SessionStore }) {
  const show = useShow();
  const [kind, name = ""] = [to.slice(0, to.indexOf(":")), to.slice(to.indexOf(":") + 1)];
  const number = Number(name);
  if (kind === "message")
    return number >= 1 && number <= (store.session?.last ?? 0) ? (
      <JumpLink to={number} className="reference">
        {children}
      </JumpLink>
    ) : (
      children
    );
  if (kind === "team" && !store.session?.participants.some(({ handle }) => handle === name)) return children;
  const [title, search] =
    kind === "team"
      ? [`Only what ${name} says`, { team: name }]
      : kind === "task"
        ? [`Task ${number}`, { tab: "work" as const, task: number }]
        : [`Where else ${name} is spoken of`, { q: name }];
  return (
    <button type="button" title={title} className="reference" onClick={() => show(search)}>
      {children}
    </button>
  );
}
