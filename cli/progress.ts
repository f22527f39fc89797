import { clearLine, emit } from "./output.ts";
import { shortened } from "./table.ts";

const QUIET_MS = 1000;

/**
 * Shows on a terminal what a call waits for, and for how long, after one second. A function returns the
 * current progress.
 */
export async function withProgress<T>(doing: string | (() => string), call: () => Promise<T>): Promise<T> {
  const stream = process.stderr;
  if (!stream.isTTY) return call();
  const startedAt = performance.now();
  let isShown = false;
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    if (isShown) clearLine(stream);
    isShown = true;
    // A full line would move to the next one.
    const text = typeof doing === "string" ? doing : doing();
    emit(stream, shortened(`${text} … ${seconds} s`, (stream.columns || 80) - 1));
  }, QUIET_MS);
  try {
    return await call();
  } finally {
    clearInterval(timer);
    if (isShown) clearLine(stream);
  }
}
