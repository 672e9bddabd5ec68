/** First settings of a server that is driven faster than any team would. */
export const NO_RULES = {
  capacity: 0,
  posts_per_minute: 0,
  sessions_per_hour: 0,
  hops: 0,
  loop_guard: 0,
  metadata_interval: 0,
};
