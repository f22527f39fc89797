/**
 * Resolves with the first SIGTERM, SIGINT or SIGHUP. A second signal ends the process at once:
 * an operator who asks twice no longer wants to wait.
 */
export function shutdownSignal(): Promise<NodeJS.Signals> {
  const signals: readonly NodeJS.Signals[] = ["SIGTERM", "SIGINT", "SIGHUP"];
  return new Promise((resolve) => {
    let first = true;
    for (const signal of signals) {
      process.on(signal, () => {
        if (!first) process.exit(130);
        first = false;
        resolve(signal);
      });
    }
  });
}

/** Calls back at the first SIGINT; a second one ends the process at once. Returns the undo. */
export function onInterrupt(first: () => void): () => void {
  let asked = false;
  const interrupt = () => {
    if (asked) process.exit(130);
    asked = true;
    first();
  };
  process.on("SIGINT", interrupt);
  return () => process.off("SIGINT", interrupt);
}
