import { hasCode } from "./error-code.ts";
import { callNative } from "./system-calls.ts";

/** `struct pollfd` */
const ENTRY_BYTES = 8;
const EVENTS = { read: 1, write: 4 } as const;

export interface PollEvents {
  readonly isReadable: boolean;
}

/**
 * Blocks this thread until a descriptor is ready or has failed, or the time is over. Returns those that are; with a
 * signal perhaps none.
 */
export function poll(
  entries: readonly { readonly descriptor: number; readonly events: keyof typeof EVENTS }[],
  timeoutMs: number,
): ReadonlyMap<number, PollEvents> {
  const bytes = Buffer.alloc(ENTRY_BYTES * entries.length);
  for (const [index, { descriptor, events }] of entries.entries()) {
    bytes.writeInt32LE(descriptor, ENTRY_BYTES * index);
    bytes.writeInt16LE(EVENTS[events], ENTRY_BYTES * index + 4);
  }
  const ready = new Map<number, PollEvents>();
  try {
    callNative("poll", [bytes, entries.length, timeoutMs]);
  } catch (error) {
    if (!hasCode(error, "EINTR")) throw error;
    return ready;
  }
  for (const [index, { descriptor }] of entries.entries()) {
    const events = bytes.readInt16LE(ENTRY_BYTES * index + 6);
    if (events !== 0) ready.set(descriptor, { isReadable: (events & EVENTS.read) !== 0 });
  }
  return ready;
}
