/**
 * A backup is gzip of lines: what it is, then each table as a line of JSON, its rows as COPY writes them, a line "\." and how
 * many there were; at last a line that says it is whole. zcat shows all of it.
 */
export const MAGIC = "parley backup 1";
export const END_OF_ROWS = "\\.";
const NEWLINE = 10;
const LONGEST_LINE = 1 << 28;

export interface Heading {
  version: string;
  migration: string;
  made_at: string;
  /** In the order in which they follow. */
  tables: string[];
}

export interface Section {
  table: string;
  columns: string[];
}

export interface Ending {
  whole: true;
  rows: number;
  sequences: { name: string; value: string; called: boolean }[];
}

/** Said in a sentence, without a stack. */
export class BackupError extends Error {}

const damaged = (what: string) => new BackupError(`The file is damaged or was cut off: ${what}. Nothing was restored.`);

/** Every row is one line: COPY writes a line break inside a value as two characters. */
export function countRows(chunk: Buffer): number {
  let rows = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) rows++;
  return rows;
}

/** Reads one after the other, and keeps no more than a line of it. */
export class BackupReader {
  #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  async heading(): Promise<Heading> {
    const magic = await this.#line("there is no first line");
    if (magic !== MAGIC) throw new BackupError("The file is not a backup of Parley, or one of a newer version.");
    return this.json<Heading>();
  }

  async json<T>(): Promise<T> {
    const line = await this.#line("it ends too early");
    try {
      return JSON.parse(line) as T;
    } catch {
      throw damaged("a line cannot be read");
    }
  }

  /** The rows of a table, whole lines at a time. */
  async *rows(): AsyncGenerator<Buffer, void> {
    const end = Buffer.from(`\n${END_OF_ROWS}\n`);
    for (;;) {
      if (this.#rest.subarray(0, end.length - 1).equals(end.subarray(1))) {
        this.#rest = this.#rest.subarray(end.length - 1);
        return;
      }
      const over = this.#rest.indexOf(end);
      const whole = 1 + (over >= 0 ? over : this.#rest.lastIndexOf(NEWLINE));
      if (whole > 0) {
        const rows = this.#rest.subarray(0, whole);
        this.#rest = this.#rest.subarray(whole);
        yield rows;
      } else if (!(await this.#more())) throw damaged("the rows of a table have no end");
    }
  }

  /** There must be nothing behind the last line, and what was compressed must be what was read. */
  async end(): Promise<void> {
    if (this.#rest.length > 0 || (await this.#more())) throw damaged("something follows its end");
  }

  async #line(otherwise: string): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf(NEWLINE);
      if (end >= 0) {
        const line = this.#rest.subarray(0, end).toString("utf8");
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      if (!(await this.#more())) throw damaged(otherwise);
    }
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#chunks.next().catch((error: NodeJS.ErrnoException) => {
      throw explained(error);
    });
    if (done) return false;
    if (this.#rest.length + value.length > LONGEST_LINE) throw damaged("a line has no end");
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, value]) : value;
    return true;
  }
}

function explained(error: NodeJS.ErrnoException): Error {
  if (error.code === "Z_BUF_ERROR") return damaged("it ends too early");
  if (!error.code?.startsWith("Z_")) return error;
  return error.message === "incorrect header check"
    ? new BackupError("The file is not a backup of Parley.")
    : damaged(error.message);
}
