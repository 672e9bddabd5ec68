import type { Message } from "../queries.ts";
import type { FeedSource } from "../store/feed-source.ts";

const MOST_IN_A_RUN = 5;
const RUN_MS = 2 * 60_000;
/** Every so many messages a run ends in any case, so that where runs begin follows from the messages near by. */
const ANCHOR = 50;

const alike = (message: Message, before: Message | undefined) =>
  message.type === "chat" &&
  before?.type === "chat" &&
  message.postedBy?.handle === before.postedBy?.handle &&
  message.kind === before.kind &&
  !message.replyTo &&
  !message.expectsReply &&
  !message.addressedTo?.length;

const between = (a: Message, b: Message) => Date.parse(b.postedAt) - Date.parse(a.postedAt);

/**
 * Whether a message goes on where the one before it was: same team, same kind, and so soon and so few that name and time
 * above them still say enough.
 */
export function continuesRun(source: Pick<FeedSource, "message">, sequence: number): boolean {
  const message = source.message(sequence);
  if (!message) return false;
  let first = sequence;
  while (first % ANCHOR !== 1) {
    const [one, before] = [source.message(first), source.message(first - 1)];
    if (!one || !alike(one, before)) break;
    first--;
  }
  let head = source.message(first);
  let inRun = 1;
  let continues = false;
  for (let n = first + 1; n <= sequence; n++) {
    const one = source.message(n);
    if (!one || !head) return false;
    continues = inRun < MOST_IN_A_RUN && between(head, one) < RUN_MS;
    if (continues) inRun++;
    else {
      head = one;
      inRun = 1;
    }
  }
  return continues;
}

const COMINGS = ["team_joined", "team_left"];

const comingOf = (message: Message | undefined) => {
  const event = message?.type === "system" ? (message.content as { event?: unknown }).event : undefined;
  return COMINGS.find((coming) => coming === event);
};

/** Teams that came, or went, one after the other: the last one tells of all. Empty for what a later one tells. */
export function comingsAt(source: Pick<FeedSource, "message">, sequence: number): Message[] | undefined {
  const message = source.message(sequence);
  const event = comingOf(message);
  if (!message || !event) return undefined;
  if (sequence % ANCHOR !== 0 && comingOf(source.message(sequence + 1)) === event) return [];
  const all = [message];
  for (let n = sequence - 1; n % ANCHOR !== 0 && comingOf(source.message(n)) === event; n--)
    all.unshift(source.message(n) as Message);
  return all;
}
