import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import {
  type AnyMessage,
  type ClientConnection,
  client,
  methods,
  type NewSessionRequest,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type Stream,
} from "@agentclientprotocol/sdk";
import { Trouble } from "../errors.ts";
import { line } from "../output.ts";
import { version } from "../version.ts";
import type { AgentCommand } from "./known.ts";

const HANDSHAKE_MS = 120_000;
const GRACE_MS = 3_000;
const AUTH_REQUIRED = -32000;
const TAIL = 2_000;

export interface Link {
  url: string;
  teamId: string;
  /** An access key of its own, where one is asked for. */
  key?: string | undefined;
}

interface Handlers {
  update(update: SessionUpdate): void;
  permission(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
}

export interface Ended {
  stopReason: string;
  usage?: { totalTokens?: number; inputTokens?: number; outputTokens?: number };
}

interface Start {
  agent: AgentCommand;
  cwd: string;
  parley: Link;
  /** A conversation of this agent to go on with, if it can. */
  load?: string | undefined;
  handlers: Handlers;
  /** Aborted: it is not waited for any longer. */
  signal: AbortSignal;
}

/** The process went away while something was asked of it. */
export class AgentGone extends Trouble {}

/** The agent is there and says no: what it says. */
export class AgentRefused extends Trouble {
  code: number;

  constructor(name: string, { message, code = 0, data }: { message: string; code?: number; data?: unknown }) {
    const more = (data as { details?: unknown } | undefined)?.details ?? data;
    super(`${name}: ${line([message, typeof more === "string" && more].filter(Boolean).join(": "))}`);
    this.code = code;
  }
}

const living = new Set<Agent>();
// Who is told to end at once does not leave agents behind.
process.on("exit", () => {
  for (const agent of living) agent.kill("SIGTERM");
});

/** One agent's process, spoken to over the Agent Client Protocol, in one conversation. */
export class Agent {
  readonly name: string;
  /** As it calls itself. */
  title = "";
  conversation = "";
  /** Whether it remembers what was said before; and whether it will, when it is started again. */
  remembers = false;
  canRemember = false;
  #child: ChildProcessByStdio<Writable, Readable, Readable>;
  #connection: ClientConnection;
  #stderr = "";
  #gone: Promise<never>;
  #signal: AbortSignal;

  private constructor({ agent, cwd, handlers, signal }: Start) {
    this.name = agent.name;
    this.#signal = signal;
    // A key of the runner is not the agent's: it has its team's credential.
    const { PARLEY_KEY: _, ...env } = process.env;
    // A group of its own: Ctrl-C in the terminal reaches this program first, and its children end with it.
    this.#child = spawn(agent.command, agent.args, { cwd, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-TAIL);
    });
    this.#child.stdin.on("error", () => undefined);
    this.#gone = new Promise((_resolve, reject) => {
      this.#child.on("error", (error) => reject(new AgentGone(`${agent.name} could not be started: ${error.message}`)));
      this.#child.on("close", (code, signal) => {
        const last = line(this.#stderr.trim().split("\n").at(-1) ?? "");
        reject(new AgentGone(`${agent.name} ended (${signal ?? `exit code ${code}`})${last ? `: ${last}` : ""}`));
      });
    });
    living.add(this);
    this.#gone.catch(() => {
      living.delete(this);
      this.#connection?.close();
    });
    this.#connection = client({ name: "parley" })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) => handlers.permission(params, signal))
      .connect(withUpdates(this.#child, handlers.update));
  }

  /** Starts the process and a conversation in it. Whatever is wrong with it is said in a sentence. */
  static async start(options: Start): Promise<Agent> {
    const agent = new Agent(options);
    try {
      await agent.#begin(options);
      return agent;
    } catch (error) {
      await agent.close();
      throw error;
    }
  }

  async #begin({ cwd, parley, load }: Start) {
    const hello = await this.#ask(
      this.#connection.agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo: { name: "parley", title: "Parley", version },
      }),
    );
    if (hello.protocolVersion !== PROTOCOL_VERSION)
      throw new Trouble(
        `${this.name} speaks version ${hello.protocolVersion} of the Agent Client Protocol, this command ${PROTOCOL_VERSION}. Update the one that is older.`,
      );
    const { name = this.name, title, version: its = "" } = hello.agentInfo ?? {};
    this.title = line(`${title ?? name} ${its}`).trim();
    if (!hello.agentCapabilities?.mcpCapabilities?.http)
      throw new Trouble(`${this.name} takes no MCP servers over http, so Parley's tools cannot be given to it.`);
    this.canRemember = hello.agentCapabilities.loadSession ?? false;
    const headers = [
      { name: "X-Team-ID", value: parley.teamId },
      ...(parley.key ? [{ name: "Authorization", value: `Bearer ${parley.key}` }] : []),
    ];
    const place: NewSessionRequest = {
      cwd,
      mcpServers: [{ type: "http" as const, name: "parley", url: parley.url, headers }],
    };
    if (load && this.canRemember) {
      const loaded = this.#ask(
        this.#connection.agent.request(methods.agent.session.load, { ...place, sessionId: load }),
      );
      this.remembers = await loaded.then(
        () => true,
        (error) => {
          if (error instanceof AgentGone) throw error;
          return false;
        },
      );
      if (this.remembers) this.conversation = load;
    }
    if (this.conversation) return;
    try {
      const { sessionId } = await this.#ask(this.#connection.agent.request(methods.agent.session.new, place));
      this.conversation = sessionId;
    } catch (error) {
      if (!(error instanceof AgentRefused) || error.code !== AUTH_REQUIRED) throw error;
      const ways = (hello.authMethods ?? []).map(({ name }) => line(name)).join(", ");
      throw new Trouble(
        `${this.name} wants you to sign in first (${error.message}). Start it once by hand and sign in${ways ? `; its ways: ${ways}` : ""}.`,
      );
    }
  }

  /** One turn: resolves when it has ended. */
  prompt(text: string): Promise<Ended> {
    const { agent } = this.#connection;
    const params = { sessionId: this.conversation, prompt: [{ type: "text" as const, text }] };
    return this.#orGone(agent.request(methods.agent.session.prompt, params) as Promise<Ended>);
  }

  /** The turn under way ends as soon as the agent can end it. */
  async cancel() {
    await this.#connection.agent
      .notify(methods.agent.session.cancel, { sessionId: this.conversation })
      .catch(() => undefined);
  }

  /** Ends the process: its input ends; then it is asked to, then it has to. */
  async close() {
    const { exitCode, signalCode, pid } = this.#child;
    if (exitCode !== null || signalCode !== null || pid === undefined) return;
    const gone = this.#gone.catch(() => undefined);
    this.#child.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await within(GRACE_MS, gone)) break;
      this.kill(signal);
    }
    await within(GRACE_MS, gone);
  }

  /** With everything that it has started. */
  kill(signal: NodeJS.Signals = "SIGKILL") {
    try {
      if (this.#child.pid) process.kill(-this.#child.pid, signal);
    } catch {
      this.#child.kill(signal);
    }
  }

  /** Rejects when the process is gone. */
  get gone(): Promise<never> {
    return this.#gone;
  }

  #orGone<T>(answer: Promise<T>): Promise<T> {
    // A connection that broke off is told by the process that ended, a moment later.
    const patient = answer.catch(async (error) => {
      if (!this.#connection.signal.aborted) throw new AgentRefused(this.name, error);
      await within(GRACE_MS, this.#gone);
      throw new AgentGone(`${this.name} broke the connection off.`);
    });
    return Promise.race([patient, this.#gone]);
  }

  async #ask<T>(answer: Promise<T>): Promise<T> {
    const late = AbortSignal.timeout(HANDSHAKE_MS);
    const signal = AbortSignal.any([this.#signal, late]);
    const givenUp = new Promise<never>((_resolve, reject) => {
      const why = () =>
        reject(
          new Trouble(`${this.name} was started but does not answer${late.aborted ? ": is it an ACP agent?" : "."}`),
        );
      if (signal.aborted) why();
      signal.addEventListener("abort", why, { once: true });
    });
    return Promise.race([this.#orGone(answer), givenUp]);
  }
}

/** Whether it happened in time; a failure is thrown on. */
function within(ms: number, event: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  return Promise.race([event.then(() => true), late]).finally(() => clearTimeout(timer));
}

/** Updates are taken out before the library reads them: what a newer agent tells besides must not cost what we understand. */
function withUpdates(child: { stdin: Writable; stdout: Readable }, tell: (update: SessionUpdate) => void): Stream {
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream);
  const transform = (message: AnyMessage, controller: TransformStreamDefaultController<AnyMessage>) => {
    // The library counts what it asks, and would print any other name of it to the terminal as it stands.
    if (!("method" in message) && typeof message.id !== "number") return;
    if (!("method" in message) || message.method !== methods.client.session.update) return controller.enqueue(message);
    const { update } = (message.params ?? {}) as { update?: SessionUpdate };
    if (typeof update?.sessionUpdate === "string") tell(update);
  };
  return { writable: stream.writable, readable: stream.readable.pipeThrough(new TransformStream({ transform })) };
}
