import { type FileHandle, open, rename, stat } from "node:fs/promises";
import type { Logger } from "../../kit/logger.ts";

const CALM_CHECK_MS = 1000;
const BUSY_CHECK_MS = 100;
const COPY_BYTES = 1_048_576;

export interface LogBounds {
  readonly maxBytes: number;
  /** Files in all, the one being written included. */
  readonly keep: number;
}
export const LOG_BOUNDS: LogBounds = { maxBytes: 10 * 1_048_576, keep: 5 };

/**
 * Keeps the logs of running engines within bounds. The engine holds the file open, so its end is copied aside and
 * the file emptied in place. One timer for all logs, none when there are none; while a log grows fast it is looked
 * at more often.
 */
export class LogRotation {
  readonly #logs = new Map<string, number>();
  readonly #bounds: LogBounds;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;

  constructor(logger: Logger, bounds: LogBounds = LOG_BOUNDS) {
    this.#logger = logger;
    this.#bounds = bounds;
  }

  watch(path: string): void {
    this.#logs.set(path, 0);
    this.#timer ??= this.#checkIn(CALM_CHECK_MS);
  }

  forget(path: string): void {
    this.#logs.delete(path);
    if (this.#logs.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #checkIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => void this.#checkAll(), ms).unref();
  }

  async #checkAll(): Promise<void> {
    let busy = false;
    for (const [path, sizeBefore] of this.#logs) {
      try {
        const size = await this.#check(path);
        if (size - sizeBefore > this.#bounds.maxBytes / 10) busy = true;
        if (this.#logs.has(path)) this.#logs.set(path, size > this.#bounds.maxBytes ? 0 : size);
      } catch (error) {
        this.#logger.warn({ err: error, path }, "an engine's log could not be kept within bounds");
      }
    }
    this.#timer = this.#logs.size > 0 ? this.#checkIn(busy ? BUSY_CHECK_MS : CALM_CHECK_MS) : undefined;
  }

  async #check(path: string): Promise<number> {
    const size = await sizeOf(path);
    if (size > this.#bounds.maxBytes) await rotateLog(path, this.#bounds);
    return size;
  }
}

/** `engine.log` becomes `engine.log.1`, that one `.2` and so on; the oldest goes. Of a huge log the end is kept. */
export async function rotateLog(path: string, { maxBytes, keep }: LogBounds): Promise<void> {
  const aside = (generation: number): string => `${path}.${generation}`;
  for (let generation = keep - 2; generation >= 1; generation--) {
    if ((await sizeOf(aside(generation))) > 0) await rename(aside(generation), aside(generation + 1));
  }
  await using log = await open(path, "r+");
  await using copy = await open(aside(1), "w", 0o600);
  const { size } = await log.stat();
  await copyRange(log, copy, { from: Math.max(0, size - maxBytes), to: size });
  await log.truncate(0);
}

async function copyRange(
  source: FileHandle,
  target: FileHandle,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, to - from));
  for (let position = from; position < to;) {
    const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, to - position), position);
    if (bytesRead === 0) return;
    await target.write(buffer, 0, bytesRead);
    position += bytesRead;
  }
}

/** 0 for a file that is not there. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return 0;
    throw error;
  }
}
