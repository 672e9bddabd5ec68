import { stringifyDocument, type TypedDocumentNode } from "@urql/core";
import { useEffect, useState } from "react";
import { signedOut } from "@/people/me.ts";
import { socket } from "./socket.ts";

type Errors = readonly { extensions?: Record<string, unknown> | undefined }[];

function look(errors: unknown) {
  if (Array.isArray(errors) && (errors as Errors).some(({ extensions }) => extensions?.code === "unauthorized"))
    void signedOut();
}

/** Calls with whatever a subscription says. The socket subscribes again by itself after a lost connection. */
export function listen<Data, Variables extends Record<string, unknown>>(
  subscription: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  onData: (data: Data) => void,
): () => void {
  return socket.subscribe<Data>(
    { query: stringifyDocument(subscription), variables },
    {
      next: ({ data, errors }) => {
        look(errors);
        if (data) onData(data);
      },
      error: look,
      complete: () => undefined,
    },
  );
}

/** What a subscription said last; undefined until it has. */
export function useLive<Data, Variables extends Record<string, unknown>>(
  subscription: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  paused = false,
): Data | undefined {
  const [data, setData] = useState<Data>();
  const key = JSON.stringify(variables);
  useEffect(() => {
    if (paused) return;
    return listen(subscription, JSON.parse(key), setData);
  }, [subscription, key, paused]);
  return data;
}
