import { errorCode, hasCode } from "./error-code.ts";

/** npm forwards a terminal's Ctrl-C to a program that has received it already. A signal this soon after is the same one. */
const ECHO_MS = 300;
/** 128 and the number of SIGINT, as shells report it. */
const EXIT_INTERRUPTED = 130;

/** Resolves with the first SIGTERM, SIGINT or SIGHUP. A second signal exits the process at once. */
export function shutdownSignal(): Promise<NodeJS.Signals> {
  const signals: readonly NodeJS.Signals[] = ["SIGTERM", "SIGINT", "SIGHUP"];
  return new Promise((resolve) => {
    const handler = firstThenExit(resolve);
    for (const signal of signals) process.on(signal, handler);
  });
}

/** Calls back at the first SIGINT. A second one exits the process at once. Returns the undo. */
export function onInterrupt(first: () => void): () => void {
  const interrupt = firstThenExit(first);
  process.on("SIGINT", interrupt);
  return () => process.off("SIGINT", interrupt);
}

/** Exits with 130 at a SIGINT that nothing else handles. Only for programs with nothing to close. */
export function exitOnInterrupt(): void {
  process.on("SIGINT", () => {
    if (process.listenerCount("SIGINT") > 1) return;
    // The shell's prompt begins on a line of its own.
    if (process.stderr.isTTY) process.stderr.write("\n");
    process.exit(EXIT_INTERRUPTED);
  });
}

/**
 * Exits the process when its output cannot be written, silently when the reader closed the pipe (`| head`). Only for
 * programs with nothing to close.
 */
export function exitWithoutReader(output: NodeJS.WriteStream): void {
  output.on("error", (error) => {
    if (hasCode(error, "EPIPE")) process.exit(0);
    process.stderr.write(`the output cannot be written (${errorCode(error) || error.message})\n`);
    process.exit(1);
  });
}

/** Exits the process after everything was closed, whatever still waits. `process.exitCode` is its exit code. */
export const exitClosed = (): never => process.exit();

function firstThenExit(first: (signal: NodeJS.Signals) => void): (signal: NodeJS.Signals) => void {
  let firstAt: number | null = null;
  return (signal) => {
    const now = performance.now();
    if (firstAt === null) {
      firstAt = now;
      first(signal);
    } else if (now - firstAt > ECHO_MS) process.exit(EXIT_INTERRUPTED);
  };
}
