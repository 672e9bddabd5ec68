import type { Message } from "../queries.ts";

/** What a list of messages is made of: all of them, or those that a filter leaves. Sequences are their addresses. */
export interface FeedSource {
  readonly count: number;
  sequenceAt(index: number): number;
  /** Where a message stands in the list; -1 where it does not. */
  indexOf(sequence: number): number;
  /** Undefined while it is on its way. */
  message(sequence: number): Message | undefined;
}

/** The whole feed: sequences have no gap, so the place of a message is its number. */
export const wholeFeed = (count: number, message: FeedSource["message"]): FeedSource => ({
  count,
  sequenceAt: (index) => index + 1,
  indexOf: (sequence) => (sequence >= 1 && sequence <= count ? sequence - 1 : -1),
  message,
});
