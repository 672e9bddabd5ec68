const named = new Set<string>();

/** The person at this machine has named this server: by --url, MCP_URL, or by having started or downloaded it. */
export const trust = (base: string) => void named.add(base);

/** The access key of the environment. A link that came along with a repository is a text of others, and is sent none. */
export const keyHeader = (base: string): Record<string, string> =>
  process.env.PARLEY_KEY && named.has(base) ? { authorization: `Bearer ${process.env.PARLEY_KEY}` } : {};
