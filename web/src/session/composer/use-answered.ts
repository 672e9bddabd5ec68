import { useEffect, useState } from "react";
import type { Message } from "../queries.ts";
import { useSessionStore } from "../store/session-provider.tsx";
import { transport } from "../store/transport.ts";

/** The message that is about to be answered. */
export function useAnswered(sequence: number | undefined): Message | undefined {
  const store = useSessionStore();
  const [read, setRead] = useState<Message>();
  const known = sequence === undefined ? undefined : store.feed.get(sequence);
  useEffect(() => {
    if (sequence === undefined || known) return;
    let current = true;
    transport.readMessage(store.session?.head.id ?? "", sequence).then(
      (message) => current && setRead(message),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [store, sequence, known]);
  return known ?? (read?.sequence === sequence ? read : undefined);
}
