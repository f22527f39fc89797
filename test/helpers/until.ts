import { setTimeout as sleep } from "node:timers/promises";

/** Waits until the condition gives something truthy and returns it; after the deadline says what was waited for. */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  deadlineMs = 30_000,
): Promise<NonNullable<T>> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${deadlineMs} ms in vain until ${what}`);
    await sleep(10);
  }
}
