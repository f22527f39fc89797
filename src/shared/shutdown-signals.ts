/**
 * npm passes a terminal's Ctrl-C on to a program that has had it already: what comes this soon after a signal is not
 * a person who asks twice.
 */
const ECHO_MS = 300;

/**
 * Resolves with the first SIGTERM, SIGINT or SIGHUP. A second signal ends the process at once:
 * an operator who asks twice no longer wants to wait.
 */
export function shutdownSignal(): Promise<NodeJS.Signals> {
  const signals: readonly NodeJS.Signals[] = ["SIGTERM", "SIGINT", "SIGHUP"];
  return new Promise((resolve) => {
    const asked = firstThenExit(resolve);
    for (const signal of signals) process.on(signal, asked);
  });
}

/** Calls back at the first SIGINT; a second one ends the process at once. Returns the undo. */
export function onInterrupt(first: () => void): () => void {
  const interrupt = firstThenExit(first);
  process.on("SIGINT", interrupt);
  return () => process.off("SIGINT", interrupt);
}

/**
 * Ends the process when its output cannot be written: without a word when nobody reads it any more (`| head`). Only for
 * programs with nothing to close.
 */
export function exitWithoutReader(output: NodeJS.WriteStream): void {
  output.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    process.stderr.write(`the output cannot be written (${error.code ?? error.message})\n`);
    process.exit(1);
  });
}

function firstThenExit(first: (signal: NodeJS.Signals) => void): (signal: NodeJS.Signals) => void {
  let askedAt: number | null = null;
  return (signal) => {
    const now = performance.now();
    if (askedAt === null) {
      askedAt = now;
      first(signal);
    } else if (now - askedAt > ECHO_MS) process.exit(130);
  };
}
