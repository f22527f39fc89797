import { lstatSync } from "node:fs";
import { type FileHandle, lstat, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { inBackground } from "../../../shared/background.ts";
import { unlessMissing } from "../../../shared/files.ts";
import type { Logger } from "../../../shared/logger.ts";
import { createFile, openToRewrite } from "../folders/engine-file.ts";
import { capRotatedLogs } from "./log-cap.ts";

const IDLE_CHECK_MS = 1000;
const BUSY_CHECK_MS = 100;
/** The shortest interval between checks of the total, which reads all engine folders. */
const CAP_CHECK_MS = 10_000;
const COPY_BYTES = 1_048_576;

interface LogBounds {
  readonly maxBytes: number;
  /** The number of files, the current one included. */
  readonly keep: number;
  /** The limit for the rotated files of all engines. */
  readonly totalBytes: number;
}
const LOG_BOUNDS: LogBounds = { maxBytes: 10 * 1_048_576, keep: 5, totalBytes: 2 * 1024 * 1_048_576 };

interface WatchedLog {
  size: number;
  ended: boolean;
}

/**
 * Rotates the logs of running engines. The engine keeps its log open, so the tail is copied and the file truncated. One
 * timer serves all logs. It runs more often while a log grows fast.
 */
export class LogRotation {
  readonly #logs = new Map<string, WatchedLog>();
  readonly #bounds: LogBounds;
  readonly #logger: Logger;
  /** Parent folders with rotations since the last check of the total. */
  readonly #grown = new Set<string>();
  #capNotBefore = 0;
  #isChecking = false;

  constructor(logger: Logger, bounds: LogBounds = LOG_BOUNDS) {
    this.#logger = logger;
    this.#bounds = bounds;
  }

  watch(path: string): void {
    this.#logs.set(path, { size: 0, ended: false });
    if (!this.#isChecking) this.#checkIn(IDLE_CHECK_MS);
    this.#isChecking = true;
  }

  /** Stops watching after the engine's exit. The log is checked once more, so that its last lines are bounded too. */
  forget(path: string): void {
    const log = this.#logs.get(path);
    if (log !== undefined) log.ended = true;
  }

  #checkIn(ms: number): void {
    setTimeout(() => inBackground("rotation of logs", this.#checkAll()), ms).unref();
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
    this.#isChecking = this.#logs.size > 0 || this.#grown.size > 0;
    if (this.#isChecking) this.#checkIn(busy ? BUSY_CHECK_MS : IDLE_CHECK_MS);
  }

  /** Rotates one log if needed. Returns the bytes by which it has grown. */
  async #check(path: string, log: WatchedLog): Promise<number> {
    const { maxBytes } = this.#bounds;
    try {
      // Synchronous: for every log each second, the thread pool would cost ten times as much CPU.
      const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
      const grown = size - log.size;
      if (size > maxBytes) {
        await rotateLog(path, this.#bounds);
        this.#grown.add(dirname(dirname(path)));
      }
      log.size = size > maxBytes ? 0 : size;
      return grown;
    } catch (error) {
      this.#logger.warn({ err: error, path }, "failed to rotate an engine's log");
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
        this.#logger.warn({ err: error, folder }, "failed to remove old engine logs");
      }
    }
  }
}

/** Renames `engine.log.1` to `.2` and so on, drops the oldest, and copies the last `maxBytes` of `engine.log` to `.1`. */
export async function rotateLog(path: string, { maxBytes, keep }: Pick<LogBounds, "maxBytes" | "keep">): Promise<void> {
  const rotated = (generation: number): string => `${path}.${generation}`;
  const current = await openToRewrite(path);
  if (current === null) return;
  await using log = current;
  for (let generation = keep - 2; generation >= 1; generation--) {
    if ((await sizeOf(rotated(generation))) > 0) await rename(rotated(generation), rotated(generation + 1));
  }
  await using copy = await createFile(rotated(1));
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

const sizeOf = async (path: string): Promise<number> => (await unlessMissing(lstat(path)))?.size ?? 0;
