import { statSync } from "node:fs";
import { type FileHandle, open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Logger } from "../../shared/logger.ts";
import { openAnew } from "./engine-file.ts";
import { capRotatedLogs } from "./log-cap.ts";

const CALM_CHECK_MS = 1000;
const BUSY_CHECK_MS = 100;
/** The total is looked at no more often than this: it takes a walk through all engines' folders. */
const CAP_CHECK_MS = 10_000;
const COPY_BYTES = 1_048_576;

export interface LogBounds {
  readonly maxBytes: number;
  /** Files in all, the one being written included. */
  readonly keep: number;
  /** Of the rotated files of all engines together. */
  readonly totalBytes: number;
}
export const LOG_BOUNDS: LogBounds = { maxBytes: 10 * 1_048_576, keep: 5, totalBytes: 2 * 1024 * 1_048_576 };

interface WatchedLog {
  size: number;
  ended: boolean;
}

/**
 * Keeps the logs of running engines within bounds. The engine holds the file open, so its end is copied aside and
 * the file emptied in place. One timer for all logs, none when there are none; while a log grows fast it is looked
 * at more often.
 */
export class LogRotation {
  readonly #logs = new Map<string, WatchedLog>();
  readonly #bounds: LogBounds;
  readonly #logger: Logger;
  /** Folders of engines' folders in which something was rotated since their total was last looked at. */
  readonly #grown = new Set<string>();
  #capNotBefore = 0;
  #looking = false;

  constructor(logger: Logger, bounds: LogBounds = LOG_BOUNDS) {
    this.#logger = logger;
    this.#bounds = bounds;
  }

  watch(path: string): void {
    this.#logs.set(path, { size: 0, ended: false });
    if (!this.#looking) this.#checkIn(CALM_CHECK_MS);
    this.#looking = true;
  }

  /** Its engine has ended: it is looked at once more, so that the last words are within bounds too. */
  forget(path: string): void {
    const log = this.#logs.get(path);
    if (log !== undefined) log.ended = true;
  }

  #checkIn(ms: number): void {
    setTimeout(() => void this.#checkAll(), ms).unref();
  }

  async #checkAll(): Promise<void> {
    let busy = false;
    for (const [path, log] of this.#logs) {
      const { ended } = log;
      const grown = await this.#check(path, log);
      if (grown > this.#bounds.maxBytes / 10) busy = true;
      if (ended && this.#logs.get(path) === log) this.#logs.delete(path);
    }
    await this.#cap();
    this.#looking = this.#logs.size > 0 || this.#grown.size > 0;
    if (this.#looking) this.#checkIn(busy ? BUSY_CHECK_MS : CALM_CHECK_MS);
  }

  /** By how much it has grown. */
  async #check(path: string, log: WatchedLog): Promise<number> {
    const { maxBytes } = this.#bounds;
    try {
      // Asked of every log each second: handing each to another thread would cost ten times as much.
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      const grown = size - log.size;
      if (size > maxBytes) {
        await rotateLog(path, this.#bounds);
        this.#grown.add(dirname(dirname(path)));
      }
      log.size = size > maxBytes ? 0 : size;
      return grown;
    } catch (error) {
      this.#logger.warn({ err: error, path }, "an engine's log could not be kept within bounds");
      return 0;
    }
  }

  async #cap(): Promise<void> {
    if (this.#grown.size === 0 || performance.now() < this.#capNotBefore) return;
    this.#capNotBefore = performance.now() + CAP_CHECK_MS;
    for (const folder of this.#grown) {
      this.#grown.delete(folder);
      try {
        await capRotatedLogs(folder, this.#bounds.totalBytes);
      } catch (error) {
        this.#logger.warn({ err: error, folder }, "the engines' logs could not be kept within bounds");
      }
    }
  }
}

/** `engine.log` becomes `engine.log.1`, that one `.2` and so on; the oldest goes. Of a huge log the end is kept. */
export async function rotateLog(path: string, { maxBytes, keep }: Pick<LogBounds, "maxBytes" | "keep">): Promise<void> {
  const aside = (generation: number): string => `${path}.${generation}`;
  for (let generation = keep - 2; generation >= 1; generation--) {
    if ((await sizeOf(aside(generation))) > 0) await rename(aside(generation), aside(generation + 1));
  }
  await using log = await open(path, "r+");
  await using copy = await openAnew(aside(1));
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
