const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 5, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((n) => n * DAY),
];

export interface Tick {
  at: number;
  label: string;
}

/** Round times between two moments, as many as asked for at most, in words that tell them apart. */
export function ticksOf(start: number, end: number, most: number): Tick[] {
  const step = STEPS.find((size) => (end - start) / size <= most) ?? (STEPS.at(-1) as number);
  const offset = new Date(start).getTimezoneOffset() * MINUTE;
  const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
  const time = new Intl.DateTimeFormat(undefined, {
    ...{ hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
    ...(step < MINUTE && { second: "2-digit" }),
  });
  // Where a day begins it says which.
  const isDay = (at: number) => (at - offset) % DAY === 0;
  const ticks: Tick[] = [];
  // Round in the reader's own time.
  for (let at = Math.ceil((start - offset) / step) * step + offset; at <= end && ticks.length <= most; at += step)
    ticks.push({ at, label: (isDay(at) ? day : time).format(at) });
  return ticks;
}
