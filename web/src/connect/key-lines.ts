/** Where a key is kept that a file of the repository must not hold. */
const VARIABLE = "PARLEY_KEY";

type Key = string | undefined;

export const headerOption = (key: Key, option: string) => (key ? ` ${option} "Authorization: Bearer ${key}"` : "");

/** In front of a command. */
export const assigned = (key: Key) => (key ? `${VARIABLE}=${key} ` : "");

/** As a line of its own, before others. */
export const exported = (key: Key) => (key ? `export ${VARIABLE}=${key}\n` : "");

/** Headers that name the variable, as each client reads its own. */
export const headersWith = (key: Key, before: string, after: string) =>
  key && { headers: { Authorization: `Bearer ${before}${VARIABLE}${after}` } };

export const codexKey = (key: Key) => (key ? `\nbearer_token_env_var = "${VARIABLE}"` : "");

/** What a file that names the variable needs beside it. */
export const andExport = (key: Key) =>
  key ? { or: { where: "And in the environment that it is started from", lines: `export ${VARIABLE}=${key}` } } : {};

export const inWords = (key: Key) => (key ? ` Your access key is in the environment variable ${VARIABLE}.` : "");
