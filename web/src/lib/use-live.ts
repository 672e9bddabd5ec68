import { stringifyDocument, type TypedDocumentNode } from "@urql/core";
import { useEffect, useState } from "react";
import { socket } from "./socket.ts";

/** What a subscription said last; undefined until it has. The socket subscribes again by itself after a lost connection. */
export function useLive<Data, Variables extends Record<string, unknown>>(
  subscription: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  paused = false,
): Data | undefined {
  const [data, setData] = useState<Data>();
  const query = stringifyDocument(subscription);
  const key = JSON.stringify(variables);
  useEffect(() => {
    if (paused) return;
    return socket.subscribe<Data>(
      { query, variables: JSON.parse(key) },
      { next: (frame) => frame.data && setData(frame.data), error: () => undefined, complete: () => undefined },
    );
  }, [query, key, paused]);
  return data;
}
