import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds since the epoch; a function so that tests and rules take it as an argument. */
export type Clock = () => number;

export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Waits; resolves `false` at once when the signal is aborted. Never rejects, never keeps the process alive. */
export async function delay(ms: number, signal?: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { ref: false, ...(signal && { signal }) });
    return true;
  } catch (error) {
    if (signal?.aborted) return false;
    throw error;
  }
}

/** Resolves when the signal is aborted, at once if it is already. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
