import type { RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { answer, CANCELLED, choose, decide } from "../permission.ts";
import type { RunOptions } from "./options.ts";

/** Answers an agent that asks whether it may: by what is settled, or by asking people. */
export class Asking {
  #o: Pick<RunOptions, "desk" | "screen" | "permissions">;
  #open = 0;

  constructor(options: Pick<RunOptions, "desk" | "screen" | "permissions">) {
    this.#o = options;
  }

  /** While people think, an agent that says nothing is not stuck. */
  get isOpen(): boolean {
    return this.#open > 0;
  }

  async answer(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse> {
    const { desk, screen, permissions } = this.#o;
    const decision = decide(request, permissions);
    if (decision !== "ask") return answer(request.options, decision);
    this.#open += 1;
    screen.asks(request.toolCall.title ?? "a tool");
    desk.tell({ status: "asking" });
    try {
      const chosen = await desk.ask(request, signal);
      const option = request.options.find(({ optionId }) => optionId === chosen);
      screen.note(option ? `Answered: ${option.name}` : "Not answered: refused.");
      return option ? choose(option.optionId) : answer(request.options, "reject");
    } catch {
      return signal.aborted ? CANCELLED : answer(request.options, "reject");
    } finally {
      this.#open -= 1;
      desk.tell({ status: "working" });
    }
  }
}
