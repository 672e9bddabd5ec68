const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Whether it can be a part of a path, an address or an argument and nothing else: what comes over the wire has to look like it. */
export const isPlain = (word: unknown): word is string => typeof word === "string" && PLAIN.test(word);
