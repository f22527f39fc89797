import type { Readable } from "node:stream";

/** A server gets at most this share of the engine's time: what it sends faster waits in its own pipe. */
const SHARE = 0.2;
const UNNOTICED_MS = 2;

/** Reads a stream chunk by chunk, and no faster than others can bear. */
export function throttledRead(stream: Readable, take: (chunk: Buffer) => void): void {
  stream.on("data", (chunk: Buffer) => {
    stream.pause();
    const begin = performance.now();
    take(chunk);
    // What the chunk has set off runs after this; it counts too.
    setImmediate(() => {
      const spent = performance.now() - begin;
      if (spent <= UNNOTICED_MS) stream.resume();
      else setTimeout(() => stream.resume(), spent * (1 / SHARE - 1)).unref();
    });
  });
}
