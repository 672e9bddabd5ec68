import { createContext, lazy, Suspense, useContext, useMemo, useState } from "react";
import { IN_SESSION, useCommands } from "@/shell/commands.ts";
import type { Standing } from "../queries.ts";
import { useSession } from "../store/session-provider.tsx";
import type { Action, Values } from "./action.ts";
import { sessionActions } from "./session-actions.ts";

const ActionDialog = lazy(() => import("./action-dialog.tsx"));

interface Actions {
  /** What whoever looks may do; undefined where there is no session. */
  standing: Standing | undefined;
  offered: Action[];
  /** Opens the dialog of an action, with what is known already. Nothing happens before it is confirmed there. */
  start: (id: string, given?: Values) => void;
  /** The same for an action that is not of the session. */
  open: (action: Action) => void;
}

const ActionsContext = createContext<Actions>({
  standing: undefined,
  offered: [],
  start: () => undefined,
  open: () => undefined,
});

export const useActions = () => useContext(ActionsContext);

/** What may be done to this session, for whatever on the page offers it. */
export function ActionsProvider({ children }: { children: React.ReactNode }) {
  const { head, participants } = useSession(({ head, participants }) => ({ head, participants }));
  const [started, setStarted] = useState<{ action: Action; given: Values }>();
  const actions = useMemo(() => {
    const offered = sessionActions(head, participants);
    const start = (id: string, given: Values = {}) => {
      const action = offered.find((one) => one.id === id);
      if (action) setStarted({ action, given });
    };
    const open = (action: Action) => setStarted({ action, given: {} });
    return { standing: head.you, offered, start, open };
  }, [head, participants]);
  useCommands(
    actions.offered.map(({ id, label, icon }) => ({
      id: `session.${id}`,
      title: label,
      group: IN_SESSION,
      icon,
      run: () => actions.start(id),
    })),
  );
  return (
    <ActionsContext value={actions}>
      {children}
      <Suspense>{started ? <ActionDialog {...started} onClose={() => setStarted(undefined)} /> : null}</Suspense>
    </ActionsContext>
  );
}
