import type { ServerResponse } from "node:http";
import {
  createMcpHandler,
  type JSONRPCRequest,
  type McpHttpHandler,
  ProtocolErrorCode,
  type ServerEvent,
  type ServerEventBus,
} from "@modelcontextprotocol/server";
import type { Hold } from "../api/http/actor-limits.ts";
import type { Doors } from "../api/live/doors.ts";
import type { Events } from "../api/live/events.ts";
import type { Admission } from "../api/verbs/admission.ts";
import type { LiveCatalogue } from "../api/verbs/catalogue.ts";
import { invalidParams, RpcError, toRpcError } from "./errors.ts";
import type { RequestContext } from "./request-context.ts";
import { topicsOf } from "./resources.ts";
import { createServer } from "./server.ts";
import { PROGRESS_MS } from "./tools.ts";

const MAX_STREAMS = 1_000;
const MAX_URIS = 100;
const GAP_MS = 100;

type Tell = (event: ServerEvent) => void;

interface Stream {
  handler?: McpHttpHandler;
}

interface ListenerOptions {
  events: Events;
  catalogue: LiveCatalogue;
  doors: Doors;
  admission: Admission;
  hold: Hold;
}

/**
 * subscriptions/listen: streams that say what has changed. Each has a bus of its own, which hears the topics of its
 * resources from the one listener of the process, and nothing else.
 */
export class Listeners {
  #open = new Set<Stream>();
  #lists = new Set<Tell>();
  #closed = false;
  #events: Events;
  #catalogue: LiveCatalogue;
  #doors: Doors;
  #admission: Admission;
  #hold: Hold;

  constructor({ events, catalogue, doors, admission, hold }: ListenerOptions) {
    this.#events = events;
    this.#catalogue = catalogue;
    this.#doors = doors;
    this.#admission = admission;
    this.#hold = hold;
    catalogue.on("change", () => {
      for (const tell of this.#lists) {
        tell({ kind: "tools_list_changed" });
        tell({ kind: "resources_list_changed" });
      }
    });
  }

  get size(): number {
    return this.#open.size;
  }

  async listen(message: JSONRPCRequest, context: RequestContext, request: globalThis.Request, res: ServerResponse) {
    if (this.#closed || this.#open.size >= MAX_STREAMS)
      throw new RpcError(ProtocolErrorCode.InternalError, "No more clients can listen to this server right now.");
    const leave = this.#hold("subscriptions", context.caller);
    const stream: Stream = {};
    this.#open.add(stream);
    const unwatch = this.#doors.watch(context.caller, () => void stream.handler?.close());
    res.once("close", () => {
      leave();
      this.#open.delete(stream);
      unwatch();
    });

    const uris = await this.#urisByTopic(message, context);
    stream.handler = createMcpHandler(() => createServer(context, "modern"), {
      legacy: "reject",
      keepAliveMs: PROGRESS_MS,
      bus: this.#bus(uris, context, stream, res),
    });
    if (this.#closed) await stream.handler.close();
    return stream.handler.fetch(request, { parsedBody: honoured(message, [...uris.values()].flat()) });
  }

  /** The server stops: every stream is told so, and ends. */
  async close() {
    this.#closed = true;
    await Promise.all([...this.#open].map(({ handler }) => handler?.close()));
  }

  async #urisByTopic(message: JSONRPCRequest, context: RequestContext): Promise<Map<string, string[]>> {
    const asked = [...new Set(asStrings(filterOf(message)?.resourceSubscriptions))];
    if (asked.length > MAX_URIS) throw invalidParams(`One stream can listen to ${MAX_URIS} resources at most.`);
    const uris = new Map<string, string[]>();
    for (const uri of asked)
      for (const topic of await topicsOf(uri, context)) uris.set(topic, [...(uris.get(topic) ?? []), uri]);
    return uris;
  }

  /** Of a session that a client does not see it is not told, not even that the list has changed. */
  async #tellList(topic: string | undefined, { caller }: RequestContext, tell: Tell) {
    const [, session] = topic?.split(" ") ?? [];
    const seen = !session || (await this.#admission.seesAny([session], caller).catch(() => false));
    if (seen) tell({ kind: "resources_list_changed" });
  }

  /** Who may see what has changed: whoever no longer sees what it listens to hears nothing more. */
  async #endIfBlind(stream: Stream, uris: string[], context: RequestContext) {
    try {
      for (const uri of new Set(uris)) await topicsOf(uri, context);
    } catch (error) {
      if (toRpcError(error, context.report).code !== ProtocolErrorCode.InternalError) await stream.handler?.close();
    }
  }

  #bus(uris: Map<string, string[]>, context: RequestContext, stream: Stream, res: ServerResponse): ServerEventBus {
    return {
      publish: () => undefined,
      subscribe: (listener) => {
        const { tell, end: forget } = held(listener, res);
        const lists = this.#catalogue.current.resourceList?.topics ?? [];
        const ends = [
          ...[...uris].map(([topic, changed]) =>
            this.#events.subscribe(topic, () => {
              for (const uri of changed) tell({ kind: "resource_updated", uri });
            }),
          ),
          ...lists.map((topic) => this.#events.subscribe(topic, (heard) => void this.#tellList(heard, context, tell))),
          this.#events.subscribe("doors", () => void this.#endIfBlind(stream, [...uris.values()].flat(), context)),
        ];
        this.#lists.add(tell);
        return () => {
          this.#lists.delete(tell);
          for (const end of ends) end();
          forget();
        };
      },
    };
  }
}

/**
 * The first is told at once, what comes right after it together: a thousand who listen cost a busy session little. While a client
 * does not read, what happens is remembered once, not written again and again.
 */
function held(listener: Tell, res: ServerResponse): { tell: Tell; end: () => void } {
  const waiting = new Map<string, ServerEvent>();
  let rest: NodeJS.Timeout | undefined;
  let full = false;
  const release = () => {
    if (res.writableNeedDrain) {
      full = true;
      res.once("drain", () => {
        full = false;
        release();
      });
      return;
    }
    if (waiting.size === 0) return;
    for (const event of waiting.values()) listener(event);
    waiting.clear();
    rest = setTimeout(() => {
      rest = undefined;
      release();
    }, GAP_MS);
  };
  return {
    tell(event) {
      waiting.set("uri" in event ? event.uri : event.kind, event);
      if (!rest && !full) release();
    },
    end: () => clearTimeout(rest),
  };
}

interface Filter {
  resourceSubscriptions?: unknown;
}

const filterOf = (message: JSONRPCRequest) => message.params?.notifications as Filter | undefined;

/** What is not as it should be is left for the package to refuse. */
const asStrings = (given: unknown): string[] =>
  Array.isArray(given) && given.every((uri) => typeof uri === "string") ? given : [];

/** A resource of which no change is announced is left out, so that the acknowledgement does not promise it. */
function honoured(message: JSONRPCRequest, uris: string[]): JSONRPCRequest {
  const filter = filterOf(message);
  if (asStrings(filter?.resourceSubscriptions).length === 0) return message;
  const notifications = { ...filter, resourceSubscriptions: [...new Set(uris)] };
  return { ...message, params: { ...message.params, notifications } };
}
