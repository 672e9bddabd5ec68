import type { Logger } from "pino";
import { Counter } from "prom-client";

/** Errors of this process that no caller was told about, by the place that caught them. */
export const survivedErrors = new Counter({
  name: "parley_survived_errors_total",
  help: "Errors in timers, listeners and jobs that were logged and survived.",
  labelNames: ["place"],
  registers: [],
});

/** Logs and counts; the process goes on. */
export function survive(
  log: Logger,
  place: string,
  err: unknown,
  message: string,
  level: "debug" | "warn" | "error" = "error",
) {
  survivedErrors.inc({ place });
  // Nobody reads the log any more: to write that down would fail again, for ever.
  if ((err as NodeJS.ErrnoException | null)?.code === "EPIPE") return;
  log[level]({ err, place }, message);
}

/**
 * The last net, under every place that catches its own. Going on is safe because nothing acknowledged lives in this
 * process: whatever a handler left half done ends with its own request, and the database keeps the rest.
 */
export function surviveEverything(log: Logger): void {
  process.on("unhandledRejection", (err) => survive(log, "promise", err, "a promise failed that nobody waited for"));
  process.on("uncaughtException", (err) => survive(log, "handler", err, "a handler failed"));
}
