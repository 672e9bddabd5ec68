import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Team } from "./lab.ts";

export interface Answer {
  status: number;
  body: string;
  /** performance.now() when the last byte was there. */
  at: number;
}

/** HTTP with as little client as there can be: one socket, one request at a time, prepared bytes. */
export class Connection {
  #socket: Socket;
  #received = "";
  /** Where its head ends, from 1, and how long its body is; less than nothing where it does not say. */
  #head = 0;
  #length: number | undefined;
  #settle: ((answer: Answer | Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket.setNoDelay(true).setEncoding("latin1");
    socket.on("data", (chunk) => this.#read(chunk as unknown as string));
    socket.on("error", (error) => this.#settle?.(error));
    socket.on("close", () => this.#settle?.(new Error("the server hung up")));
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new Connection(socket);
  }

  static openMany(port: number, count: number): Promise<Connection[]> {
    return Promise.all(Array.from({ length: count }, () => Connection.open(port)));
  }

  send(request: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#settle = (answer) => {
        this.#settle = undefined;
        if (answer instanceof Error) reject(answer);
        else if (answer.status !== 200) reject(new Error(`${answer.status} ${answer.body}`));
        else resolve(answer);
      };
      this.#socket.write(request);
    });
  }

  close() {
    this.#socket.destroy();
  }

  #read(chunk: string) {
    this.#received += chunk;
    this.#head ||= this.#received.indexOf("\r\n\r\n") + 1;
    if (!this.#head) return;
    // A long answer comes in many pieces: what is its length is asked of the first.
    this.#length ??= Number(/\r\ncontent-length: (\d+)/i.exec(this.#received.slice(0, this.#head))?.[1] ?? -1);
    const start = this.#head + 3;
    const complete =
      this.#length >= 0 ? this.#received.length >= start + this.#length : this.#received.endsWith("\r\n0\r\n\r\n");
    if (!complete) return;
    const answer = {
      status: Number(this.#received.slice(9, 12)),
      body: this.#received.slice(start),
      at: performance.now(),
    };
    this.#received = "";
    this.#head = 0;
    this.#length = undefined;
    this.#settle?.(answer);
  }
}

const HEAD = "HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json, text/event-stream;q=0\r\n";

function request(method: string, path: string, teamId: string, body?: unknown): string {
  const json = body === undefined ? "" : JSON.stringify(body);
  const lines =
    body === undefined ? "" : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n`;
  return `${method} ${path} ${HEAD}x-team-id: ${teamId}\r\n${lines}\r\n${json}`;
}

export const get = (path: string, teamId = "") => request("GET", path, teamId);
export const post = (path: string, body: unknown, teamId = "") => request("POST", path, teamId, body);

/** The calls of a team, over either door. Texts are ASCII, so that bytes and characters count alike. */
export const rest = {
  post: ({ session, teamId }: Team, content: string) => post(`/api/sessions/${session}/messages`, { content }, teamId),
  wait: ({ session, teamId }: Team, since: number, timeout = 30) =>
    get(`/api/sessions/${session}/messages/wait?since_cursor=${since}&timeout=${timeout}`, teamId),
};

const tool = (name: string, args: Record<string, unknown>) =>
  post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });

export const mcp = {
  post: ({ session, teamId }: Team, content: string) =>
    tool("post_message", { session_id: session, team_id: teamId, content }),
  wait: ({ session, teamId }: Team, since: number, timeout = 30) =>
    tool("wait_for_messages", { session_id: session, team_id: teamId, since_cursor: since, timeout }),
};
