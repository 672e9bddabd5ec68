import type pg from "pg";
import type { Logger } from "pino";
import type { Events } from "./events.ts";

/** The mcp_url setting, kept at hand: a change is announced, and applies on every replica at once. */
export class PublicAddress {
  #mcpUrl = "";
  #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async start(events: Events, log: Logger): Promise<void> {
    const reload = () => this.#load().catch((err) => log.warn({ err }, "settings could not be read"));
    events.subscribe("settings", reload);
    await this.#load();
  }

  async #load() {
    const { rows } = await this.#pool.query<{ value: string }>(
      "select value #>> '{}' as value from parley.settings where name = 'mcp_url'",
    );
    this.#mcpUrl = rows[0]?.value ?? "";
  }

  get hostname(): string | undefined {
    return this.#mcpUrl ? new URL(this.#mcpUrl).hostname : undefined;
  }

  /** The link agents connect to. */
  mcpUrl(origin: string): string {
    return this.#mcpUrl || `${origin}/mcp`;
  }

  /** The address without the last part: where the page, REST and the guide are. */
  base(origin: string): string {
    return this.mcpUrl(origin).replace(/(\/api)?(\/mcp)?\/*$/, "");
  }
}
