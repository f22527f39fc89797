import { delay, whenAborted } from "../../../shared/clock.ts";
import type { StopOutcome } from "../engine-backend.ts";

/** The stop of one engine. A second caller joins the running stop. After survivors the next caller tries again. */
export class SharedStop {
  readonly #end: (termMs: number, forceKill: AbortSignal) => Promise<StopOutcome>;
  #forceKill = new AbortController();
  #ending: Promise<StopOutcome> | undefined;

  constructor(end: (termMs: number, forceKill: AbortSignal) => Promise<StopOutcome>) {
    this.#end = end;
  }

  /** Of several callers, the shortest `termMs` applies. */
  async run(termMs: number): Promise<StopOutcome> {
    const forceKill = this.#forceKill;
    const timer = setTimeout(() => forceKill.abort(), termMs);
    try {
      this.#ending ??= this.#end(termMs, forceKill.signal);
      const outcome = await this.#ending;
      if (outcome.kind === "survived") this.#allowRetry();
      return outcome;
    } finally {
      clearTimeout(timer);
    }
  }

  #allowRetry(): void {
    this.#ending = undefined;
    this.#forceKill = new AbortController();
  }
}

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
