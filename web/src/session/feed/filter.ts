import type { Message } from "../queries.ts";

/** What the feed is narrowed to; what is empty does not count. */
export interface Filter {
  search: string;
  team: string;
  kind: string;
  /** Handles, one of which it has to be addressed to. */
  addressees: readonly string[];
}

export const isEmpty = ({ search, team, kind, addressees }: Filter) =>
  !search && !team && !kind && addressees.length === 0;

/** Whether a message that has just come is among what is looked for: the server says it of all others. */
export function matches(message: Message, { search, team, kind, addressees }: Filter): boolean {
  const { text } = (message.content ?? {}) as { text?: unknown };
  return (
    (!search || (typeof text === "string" && text.toLowerCase().includes(search.toLowerCase()))) &&
    (!team || message.postedBy?.handle === team) &&
    (!kind || (message.type === "chat" && message.kind === kind)) &&
    (addressees.length === 0 || (message.addressedTo ?? []).some((to) => to !== null && addressees.includes(to)))
  );
}
