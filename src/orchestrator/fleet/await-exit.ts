import { delay, whenAborted } from "../../shared/clock.ts";

/** Whether a process exits before the signal is aborted. */
export const exitsBefore = (exited: Promise<unknown>, signal: AbortSignal): Promise<boolean> =>
  Promise.race([exited.then(() => true), whenAborted(signal).then(() => false)]);

/** Whether a process exits within `ms` milliseconds. */
export async function exitsWithin(exited: Promise<unknown>, ms: number): Promise<boolean> {
  const waited = new AbortController();
  const hasExited = await Promise.race([exited.then(() => true), delay(ms, waited.signal).then(() => false)]);
  waited.abort();
  return hasExited;
}
