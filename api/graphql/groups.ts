import { createHash } from "node:crypto";
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  print,
  validate,
} from "graphql";
import { isAsyncIterable } from "postgraphile/grafast";
import { type Company, Subscriber } from "./subscriber.ts";
import type { Ticks } from "./ticks.ts";

type Result = Pick<ExecutionResult, "data" | "errors">;
type Results = AsyncGenerator<Result, void>;

/** Begins to read: the ticks that the reading waits for are handed over before the first of its results comes. */
export type Read = (schema: GraphQLSchema, reader: Reader) => Promise<Results | Result>;
export interface Reader {
  follow(ticks: Ticks<unknown>): void;
  onTick(news: boolean): void;
}
export type Mask = (error: GraphQLError) => GraphQLError;

/** Whoever asks the same with the same rights is told together: one execution for each tick, one text for all. */
export class Groups {
  #groups = new Map<string, Group>();
  #mask: Mask;
  #schema: GraphQLSchema | undefined;

  constructor(mask: Mask) {
    this.#mask = mask;
  }

  async subscribe(args: ExecutionArgs, read: Read): Promise<Subscriber | Result> {
    const key = keyOf(args);
    for (let attempt = 1; ; attempt++) {
      const found = this.#groups.get(key);
      const group = found ?? this.#open(key, args.document, read);
      const subscriber = group.join();
      const refusal = await group.started;
      if (!refusal) return subscriber;
      subscriber.company.leave(subscriber);
      // Whoever came while it was being refused asks once more: the answer may have changed by then.
      if (!found || attempt === 2) return refusal;
    }
  }

  /** Under a new schema everyone is read for anew. Whoever cannot be goes on as it began, without new company. */
  use(schema: GraphQLSchema): void {
    this.#schema = schema;
    const before = this.#groups;
    this.#groups = new Map();
    for (const [key, group] of before) {
      if (validate(schema, group.document).length > 0) continue;
      const next = this.#open(key, group.document, group.read);
      next.started.then((refusal) => {
        if (!refusal) group.moveTo(next);
      });
    }
  }

  #open(key: string, document: DocumentNode, read: Read): Group {
    if (!this.#schema) throw new Error("there is no schema yet");
    const group: Group = new Group(document, read, this.#mask, () => {
      if (this.#groups.get(key) === group) this.#groups.delete(key);
    });
    this.#groups.set(key, group);
    group.start(this.#schema);
    return group;
  }
}

class Group implements Company, Reader {
  readonly document: DocumentNode;
  readonly read: Read;
  /** What was answered instead of a start, if it was refused. */
  started: Promise<Result | undefined> = Promise.resolve(undefined);
  #mask: Mask;
  #onEnd: () => void;
  #members = new Set<Subscriber>();
  #ticks: Ticks<unknown> | undefined;
  #results: Results | undefined;
  #reading = false;
  #ended = false;

  constructor(document: DocumentNode, read: Read, mask: Mask, onEnd: () => void) {
    this.document = document;
    this.read = read;
    this.#mask = mask;
    this.#onEnd = onEnd;
  }

  start(schema: GraphQLSchema): void {
    this.started = this.#start(schema).catch((error) => ({ errors: [asGraphQLError(error)] }));
    this.started.then((refusal) => refusal && this.#end());
  }

  async #start(schema: GraphQLSchema): Promise<Result | undefined> {
    const results = await this.read(schema, this);
    if (!isAsyncIterable(results)) return results;
    this.#results = results as Results;
    if (this.#ended) await this.#results.return();
    else void this.#tell(this.#results);
    return undefined;
  }

  join(subscriber = new Subscriber(this)): Subscriber {
    subscriber.company = this;
    this.#members.add(subscriber);
    this.#ticks?.greet();
    this.want();
    return subscriber;
  }

  leave(subscriber: Subscriber): void {
    this.#members.delete(subscriber);
    this.#endIfEmpty();
  }

  /** Nobody hears more often for it, and what somebody was about to be shown is shown there. */
  moveTo(next: Group): void {
    for (const subscriber of this.#members) {
      const waits = subscriber.toldOf < 0 || subscriber.due || this.#ticks?.behind;
      subscriber.toldOf = waits ? -1 : 0;
      subscriber.due = false;
      next.join(subscriber);
    }
    this.#members.clear();
    this.#endIfEmpty();
    next.#endIfEmpty();
  }

  #endIfEmpty() {
    if (this.#members.size === 0) this.#end();
  }

  #end() {
    this.#ended = true;
    this.#onEnd();
    void this.#results?.return();
  }

  follow(ticks: Ticks<unknown>): void {
    this.#ticks = ticks;
    this.want();
  }

  /** Who has come by now is shown what is read from now on, and nothing older. */
  onTick(news: boolean): void {
    this.#reading = true;
    const happenings = this.#ticks?.happenings ?? 0;
    for (const subscriber of this.#members) {
      if (subscriber.toldOf >= (news ? happenings : 0)) continue;
      subscriber.due = true;
      subscriber.toldOf = happenings;
    }
  }

  want(): void {
    if (this.#reading) return;
    for (const { busy } of this.#members) {
      if (busy) continue;
      this.#ticks?.want();
      return;
    }
  }

  async #tell(results: Results) {
    try {
      for await (const { errors, ...result } of results) {
        const payload = JSON.stringify(errors ? { ...result, errors: errors.map(this.#mask) } : result);
        this.#reading = false;
        for (const subscriber of this.#members) if (subscriber.due) subscriber.show(payload);
        this.want();
      }
      for (const subscriber of this.#members) subscriber.end();
    } catch (error) {
      for (const subscriber of this.#members) subscriber.fail(error);
    } finally {
      this.#end();
    }
  }
}

const asGraphQLError = (error: unknown) =>
  error instanceof GraphQLError
    ? error
    : new GraphQLError(error instanceof Error ? error.message : String(error), { originalError: error as Error });

const texts = new WeakMap<DocumentNode, string>();

/** All that an answer depends on: what is asked, and what the database is told of whoever asks. */
function keyOf(args: ExecutionArgs): string {
  const { document, operationName, variableValues } = args;
  const operation = getOperationAST(document, operationName);
  const names = operation?.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
  const given = names.map((name) => (variableValues && name in variableValues ? [variableValues[name]] : []));
  const text = texts.get(document) ?? print(document);
  texts.set(document, text);
  // Where somebody calls from changes nothing in what is read.
  const { caller } = args.contextValue as Partial<Grafast.Context>;
  const { address: _, ...rights } = caller ?? {};
  const { onError, extensions } = args as { onError?: unknown; extensions?: unknown };
  const asked = [text, operation?.name?.value, given, onError, extensions];
  return createHash("sha256")
    .update(JSON.stringify([asked, rights]))
    .digest("base64");
}
