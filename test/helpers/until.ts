import { setTimeout as sleep } from "node:timers/promises";

const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 100;

/** Waits until the condition gives something truthy and returns it; after the deadline says what was waited for. */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  deadlineMs = 30_000,
): Promise<NonNullable<T>> {
  const start = Date.now();
  for (;;) {
    const value = await condition();
    if (value) return value;
    const waitedMs = Date.now() - start;
    if (waitedMs > deadlineMs) throw new Error(`waited ${deadlineMs} ms in vain until ${what}`);
    // Most conditions are requests: in a long wait they would take the CPU time of what is waited for.
    await sleep(Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, waitedMs / 20)));
  }
}
