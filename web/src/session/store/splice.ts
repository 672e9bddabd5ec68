export interface Splice {
  startAt: number;
  removed: number;
  /** Base64. */
  inserted: string;
}

/** Positions count bytes of UTF-8, as the database keeps them; a splice may begin inside a character. */
export function spliced(text: string, { startAt, removed, inserted }: Splice): string {
  const old = new TextEncoder().encode(text);
  const added = Uint8Array.from(atob(inserted), (byte) => byte.charCodeAt(0));
  const made = new Uint8Array(old.length - removed + added.length);
  made.set(old.subarray(0, startAt));
  made.set(added, startAt);
  made.set(old.subarray(startAt + removed), startAt + added.length);
  return new TextDecoder().decode(made);
}
