import type { WebSocket } from "ws";

export interface Company {
  /** Somebody would take more. */
  want(): void;
  leave(subscriber: Subscriber): void;
}

/**
 * One client's end of a subscription that it shares. graphql-ws only waits for it to end: what is to be shown is one
 * text for all, and goes to each socket without being written once more. While a socket is busy only the newest waits.
 */
export class Subscriber implements AsyncGenerator<never, void> {
  company: Company;
  /** Of how many happenings this one has been told; below zero, it has been shown nothing yet. */
  toldOf = -1;
  /** What is being read now is for this one too. */
  due = false;
  #socket: WebSocket | undefined;
  #head = "";
  #busy = true;
  #waiting: string | undefined;
  #over = Promise.withResolvers<IteratorResult<never, void>>();

  constructor(company: Company) {
    this.company = company;
    // Whoever has left already does not hear of a failure.
    this.#over.promise.catch(() => undefined);
  }

  get busy(): boolean {
    return this.#busy;
  }

  writeTo(socket: WebSocket, id: string): void {
    this.#socket = socket;
    this.#head = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
  }

  show(payload: string): void {
    this.due = false;
    if (this.#busy) {
      this.#waiting = payload;
      return;
    }
    this.#busy = true;
    this.#socket?.send(`${this.#head}${payload}}`, (error) => {
      // A socket that fails is closed, and that ends this.
      if (!error) this.#free();
    });
  }

  #free() {
    this.#busy = false;
    const payload = this.#waiting;
    this.#waiting = undefined;
    if (payload === undefined) this.company.want();
    else this.show(payload);
  }

  whenOver(tell: () => void): void {
    this.#over.promise.then(tell, tell);
  }

  end(): void {
    this.#over.resolve({ done: true, value: undefined });
  }

  fail(error: unknown): void {
    this.#over.reject(error);
  }

  next(): Promise<IteratorResult<never, void>> {
    this.#free();
    return this.#over.promise;
  }

  async return(): Promise<IteratorResult<never, void>> {
    this.#waiting = undefined;
    this.company.leave(this);
    this.end();
    return this.#over.promise;
  }

  throw(error: unknown): Promise<IteratorResult<never, void>> {
    this.company.leave(this);
    this.end();
    return Promise.reject(error);
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  async [Symbol.asyncDispose]() {
    await this.return();
  }
}
