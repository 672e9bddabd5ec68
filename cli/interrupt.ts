let interrupted = (): void => process.exit(130);
process.on("SIGINT", () => interrupted());

/** For a command that has to put something back in order after Ctrl-C; a second one ends it at once. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  interrupted = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  // Whoever manages processes asks like this.
  process.once("SIGTERM", () => controller.abort());
  return controller.signal;
}
