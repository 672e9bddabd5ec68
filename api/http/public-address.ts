import type pg from "pg";
import type { Logger } from "pino";
import type { Events } from "../live/events.ts";

/** What the guide may hold, in its shell lines too. The exact rule is parley_private.is_link; this one lets nothing worse through. */
export const isLink = (text: string): boolean =>
  text.length <= 500 && /^https?:\/\/[A-Za-z0-9.:[\]-]+(\/[A-Za-z0-9._~-]+)*\/?$/.test(text) && URL.canParse(text);

/** The mcp_url setting, kept at hand: a change is announced, and applies on every replica at once. */
export class PublicAddress {
  #mcpUrl = "";
  #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async start(events: Events, log: Logger): Promise<void> {
    const reload = () => this.#load(log).catch((err) => log.warn({ err }, "settings could not be read"));
    events.subscribe("settings", reload);
    await this.#load(log);
  }

  async #load(log: Logger) {
    const { rows } = await this.#pool.query<{ value: string }>(
      "select value #>> '{}' as value from parley.settings where name = 'mcp_url'",
    );
    const value = rows[0]?.value ?? "";
    // Only someone who switched the checks of the table off can have put it there.
    if (value && !isLink(value)) log.warn("the setting mcp_url is not an address and is not used");
    this.#mcpUrl = isLink(value) ? value : "";
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
