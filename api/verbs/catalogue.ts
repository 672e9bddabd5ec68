import { EventEmitter } from "node:events";
import { readFileSync } from "node:fs";
import type pg from "pg";
import type { Logger } from "pino";
import { query } from "../postgres/database.ts";
import { survive } from "../survive.ts";
import type { Schema } from "./json-schema.ts";
import { readCatalogue } from "./read-catalogue.ts";

const sqlOf = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const CATALOGUE_SQL = sqlOf("./catalogue.sql");
const VERSION_SQL = sqlOf("./catalogue-version.sql");
const LOOK_EVERY_MS = 1_000;
/** The whole takes ten times as long to read as its version. */
const READ_WHOLE_EVERY = 10;

export interface Argument {
  name: string;
  /** What its values are made of; a list ends with []. */
  type: string;
  /** The type by the name under which the function takes it: a domain, perhaps. */
  declared: string;
  optional: boolean;
  /** What SQL takes in its place where it is left out, as an expression. */
  default: string | undefined;
  /** Whether an integer that is too large counts as the largest. */
  clamped: boolean;
  description: string;
  /** Whether SQL is told its hash instead, beside the other hashes of the caller. */
  secret?: boolean;
  /** The values of an enum. */
  labels: string[] | undefined;
  /** What its comment says in place of what follows from its type. */
  schema: Schema | undefined;
  /** Taken, but not shown in the list of MCP tools. */
  unlisted: boolean;
}

export interface ResultType {
  name: string;
  description: string;
  attributes: Attribute[];
  /** Whether an answer of this type may hold fields that are left out when null. */
  prunable: boolean;
  /** The function that writes an answer of this type as lines. */
  writer: string | undefined;
  /** Whether those lines are, below the first, a text as it is. */
  verbatim: boolean;
}

export interface Attribute {
  name: string;
  type: string;
  description: string;
  optional: boolean;
  labels: string[] | undefined;
  schema: Schema | undefined;
  composite: ResultType | undefined;
}

/** What a function answers: one value or a set of them, and whether it names its columns itself. */
export interface Answer {
  type: string;
  labels: string[] | undefined;
  schema: Schema | undefined;
  set: boolean;
  columns: boolean;
}

/** A function that can be called: a verb, or what serves one surface only. */
export interface Callable {
  name: string;
  description: string;
  /** What parley_private.admit asks of a caller. */
  who: "open" | "team" | "person" | "reader" | "known" | `key ${"read" | "team" | "run" | "admin"}`;
  /** Whether it asks for the seat of its caller itself. */
  seated: boolean;
  idempotent: boolean;
  blocking: boolean;
  /** Whether calls of it may share a transaction: it locks its session, writes, and nothing it does outlives a rollback. */
  together: boolean;
  /** The function that does many calls of it in one statement, and the arguments that it takes. */
  atOnce: { does: string; takes: string[]; oid: string; edition: string } | undefined;
  arguments: Argument[];
  answer: Answer;
  /** The type of the answer, or of its rows, if it has fields. */
  result: ResultType | undefined;
}

export interface Verb extends Callable {
  method: "GET" | "POST";
  path: string;
  /** Every path that leads to it; the first is the one that is shown. */
  paths: string[];
  toolset: string;
  readonly: boolean;
}

/** Whether lists for agents have it; what is for people, or whoever runs the server, is there for those who ask for it. */
export const isForAgents = ({ toolset, who }: Verb): boolean =>
  !["admin", "runner"].includes(toolset) && who !== "person";

/** What an MCP client may read: the variables of its template are the arguments of its function. */
export interface Resource extends Callable {
  /** What is announced when it changes, with variables of the template in braces. */
  topics: string[];
  uriTemplate: string;
  mimeType: string;
  label: string;
  title: string | undefined;
}

export interface Catalogue {
  verbs: Verb[];
  byName: Map<string, Verb>;
  resources: Resource[];
  /** Lists what the templates of the resources stand for. */
  resourceList: (Callable & { topics: string[] }) | undefined;
  /** Those who know what the beginning of an argument may become, by the name of the argument. */
  completers: Map<string, Callable>;
  /** Those who know how topics name what a variable stands for, by the name of the variable. */
  inTopics: Map<string, Callable>;
  /** What has the comment of one of these and still cannot be called. */
  skipped: { name: string; why: string }[];
}

interface Reading {
  version: string;
  text: string;
  catalogue: Catalogue;
}

const NOTHING = readCatalogue('{"functions": [], "types": {}}');
/** What was read last: servers of one process can share it. */
let last: Reading = { version: "", text: "", catalogue: NOTHING };

/** The catalogue as it is now: looked at every second, so that a verb made by SQL is there without a restart. */
export class LiveCatalogue extends EventEmitter<{ change: [Catalogue] }> {
  current = NOTHING;
  #text = "";
  #version = "";
  #looks = 0;
  #told = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #pool: pg.Pool;
  #log: Logger;

  constructor(pool: pg.Pool, log: Logger) {
    super();
    this.#pool = pool;
    this.#log = log;
  }

  async start(): Promise<void> {
    await this.#look();
    let looking = false;
    this.#timer = setInterval(async () => {
      if (looking) return;
      looking = true;
      await this.#look().catch((err) => survive(this.#log, "catalogue", err, "catalogue not readable", "debug"));
      looking = false;
    }, LOOK_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const { version } = await this.#ask<{ version: string }>("catalogue_version", VERSION_SQL);
    const same = version === this.#version;
    if (same && ++this.#looks % READ_WHOLE_EVERY > 0) return;
    if (same || version !== last.version) last = await this.#read();
    this.#version = last.version;
    if (last.text === this.#text) return;
    this.current = last.catalogue;
    this.#tellSkipped();
    if (this.#text) this.#log.info({ verbs: this.current.verbs.length }, "the verbs have changed");
    this.#text = last.text;
    this.emit("change", this.current);
  }

  /** In one statement, so that a version never stands for what came after it. */
  async #read(): Promise<Reading> {
    const text = `select (${VERSION_SQL}) as version, (${CATALOGUE_SQL}) as catalogue`;
    const read = await this.#ask<{ version: string; catalogue: string }>("catalogue", text);
    const catalogue = read.catalogue === last.text ? last.catalogue : readCatalogue(read.catalogue);
    return { version: read.version, text: read.catalogue, catalogue };
  }

  async #ask<Row extends pg.QueryResultRow>(name: string, text: string): Promise<Row> {
    const [row] = await query<Row>(this.#pool, { name, text, query_timeout: 5_000 });
    return row as Row;
  }

  /** Once for each, however often the catalogue changes. */
  #tellSkipped(): void {
    const skipped = this.current.skipped.map(({ name, why }) => `parley.${name} is on no surface: ${why}.`);
    for (const sentence of skipped) if (!this.#told.has(sentence)) this.#log.warn(sentence);
    this.#told = new Set(skipped);
  }
}
