const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const COUNT = new Intl.NumberFormat();

/** As short as a clock can be: for columns of times. */
export const shortClock = (at: string) =>
  CLOCK.formatToParts(new Date(at))
    .filter(({ type }) => type !== "dayPeriod")
    .map(({ value }) => value)
    .join("")
    .trim();
export const clock = (at: string) => CLOCK.format(new Date(at));
export const day = (at: string) => DAY.format(new Date(at));
export const full = (at: string) => FULL.format(new Date(at));
export const count = (n: number) => COUNT.format(n);

export const sameDay = (a: string, b: string) => new Date(a).toDateString() === new Date(b).toDateString();
