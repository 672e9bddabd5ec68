import { type Answer, call, persist } from "../connection/api.ts";
import { Away, mayPass, Refusal } from "../errors.ts";

const POLL_SECONDS = 30;
const PATIENCE_MS = 24 * 3_600_000;
// Who was away is heard again well within the lease of a run.
const LONGEST_PAUSE_MS = 3_000;
const HURRY_MS = 2_000;

interface Seat {
  url: string;
  session_id: string;
  team_id: string;
}

/** The session as one team of it sees it. Restarts of the server are waited out. */
export class Table {
  /** Told with the next answer of any call. */
  onInterrupt: (interrupt: Answer) => void = () => undefined;
  /** Whether the server cannot be reached at the moment. */
  onTrouble: (error: Error | undefined) => void = () => undefined;
  #seat: Seat;
  #by: "runner" | "hook";
  #patienceMs = PATIENCE_MS;

  /** `by`: what waits for the team, and wakes it. */
  constructor(seat: Seat, by: "runner" | "hook" = "runner") {
    this.#seat = seat;
    this.#by = by;
  }

  /** From here on a server that is not there is not waited for. */
  hurry() {
    this.#patienceMs = HURRY_MS;
  }

  /** What others have said after a cursor (undefined: after what the team has confirmed), as soon as there is something. */
  wait(since: number | undefined, signal: AbortSignal, timeout = POLL_SECONDS): Promise<Answer> {
    const args = { since_cursor: since, timeout, by: this.#by };
    return this.#call("/messages/wait", { method: "GET", args, stream: timeout > 0, signal, seconds: timeout });
  }

  /** The server now knows that the team has dealt with everything up to there. */
  async confirm(cursor: number): Promise<void> {
    await this.#call("/messages/wait", { method: "GET", args: { since_cursor: cursor, timeout: 0 } });
  }

  /** The end of the feed, the team's own words included. */
  async latest(limit = 100): Promise<Answer[]> {
    return (await this.#call("/messages", { method: "GET", args: { limit } })).messages;
  }

  /** What lies between two cursors and was said by others. */
  async between(after: number, upTo: number): Promise<Answer[]> {
    const args = { before_cursor: upTo + 1, limit: 500 };
    const { messages } = await this.#call("/messages", { method: "GET", args });
    return messages.filter(({ cursor, mine }: Answer) => cursor > after && !mine);
  }

  whoami = (): Promise<Answer> => this.#ask("/whoami", { method: "GET" });

  post = (args: Record<string, unknown>): Promise<Answer> => this.#call("/messages", { args });

  claim = (args: { task?: number; wait?: number }, signal?: AbortSignal): Promise<Answer> =>
    this.#call("/tasks/claim", { args, stream: Boolean(args.wait), signal, seconds: args.wait ?? 0 });

  async task(task: number): Promise<Answer> {
    return (await this.#call("/tasks", { method: "GET", args: { task } })).tasks[0];
  }

  /** Tells about the run, and hears what others want of it; with `wait`, as soon as somebody wants something. */
  report = (args: Record<string, unknown>, signal?: AbortSignal): Promise<Answer> =>
    this.#call("/run", { args, stream: "wait" in args, signal, seconds: Number(args.wait ?? 0) });

  askPermission = (args: Record<string, unknown>, signal: AbortSignal): Promise<Answer> =>
    this.#call("/run/permission", { args, stream: true, signal, seconds: Number(args.wait) });

  leave = (): Promise<Answer> => this.#call("/leave", {});

  /** A verb of the session in lines, as a model reads them. */
  async lines(path: string): Promise<string> {
    const { url, session_id, team_id } = this.#seat;
    const response = await persist(
      async () => {
        const headers = { "x-team-id": team_id };
        const answer = await fetch(`${url}/api/sessions/${session_id}${path}?format=lines`, { headers }).catch(() => {
          throw new Away(`${url} cannot be reached.`);
        });
        if (answer.status >= 500) throw new Away(`${url} answered ${answer.status} and is not ready.`);
        return answer;
      },
      { forMs: () => this.#patienceMs, longestPauseMs: LONGEST_PAUSE_MS },
    );
    return response.text();
  }

  #call(path: string, request: CallOptions): Promise<Answer> {
    return this.#ask(`/sessions/${this.#seat.session_id}${path}`, request);
  }

  async #ask(path: string, { seconds = 0, ...request }: CallOptions): Promise<Answer> {
    const { url, team_id: teamId } = this.#seat;
    const attempt = () => call(url, path, { ...request, teamId, withinMs: (seconds + 15) * 1_000 });
    let away = false;
    const answer = await persist(attempt, {
      forMs: () => this.#patienceMs,
      longestPauseMs: LONGEST_PAUSE_MS,
      again: (error) =>
        !request.signal?.aborted && (mayPass(error) || (error instanceof Refusal && error.code === "rate_limited")),
      onTrouble: (error) => {
        away = true;
        this.onTrouble(error);
      },
    });
    if (away) this.onTrouble(undefined);
    if (answer?.interrupt) this.onInterrupt(answer.interrupt);
    // Somebody wants to know whether the team is there. It takes no turn to say so.
    if (answer?.ring) void this.#call("/ack", { args: { through_cursor: answer.ring.cursor } }).catch(() => undefined);
    return answer;
  }
}

interface CallOptions {
  method?: "GET" | "POST";
  args?: Record<string, unknown>;
  stream?: boolean;
  signal?: AbortSignal | undefined;
  /** How long the call may block. */
  seconds?: number;
}
