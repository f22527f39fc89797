import { type FSWatcher, watch } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { delay } from "../../../shared/clock.ts";
import { openToRead } from "../folders/engine-file.ts";
import { LineSplitter } from "./line-splitter.ts";
import { redactLine } from "./redact-line.ts";

export const ENGINE_LOG = "engine.log";

const CHUNK_BYTES = 65_536;
/** The most that one tail reads, however long the lines are. */
const TAIL_BYTES = 4 * 1_048_576;
const NEWLINE = 0x0a;
const POLL_MS = 1000;

/** The last lines of an engine's log, oldest first. None when there is no log. */
export async function logTail(folder: string, lines: number): Promise<readonly string[]> {
  const log = await openLog(folder);
  if (log === null) return [];
  await using file = log;
  const { size } = await file.stat();
  const { whole, rest } = await tailUpTo(file, { lines, size });
  return lines === 0 ? [] : [...whole, ...new LineSplitter(rest).rest()].slice(-lines).map(redactLine);
}

/** The last lines, then each new one, until the signal aborts or the log is removed. */
export async function* followLog(
  folder: string,
  { lines, signal }: { readonly lines: number; readonly signal: AbortSignal },
): AsyncGenerator<string, void, undefined> {
  let log = await openLog(folder);
  while (log === null) {
    if (!(await delay(POLL_MS, signal))) return;
    log = await openLog(folder);
  }
  await using file = log;
  using changes = new LogChanges(join(folder, ENGINE_LOG));
  let position = (await file.stat()).size;
  const tail = await tailUpTo(file, { lines, size: position });
  yield* tail.whole.map(redactLine);
  let splitter = new LineSplitter(tail.rest);
  while (!signal.aborted) {
    const { size, nlink } = await file.stat();
    // Rotation truncates the file.
    if (size < position) [position, splitter] = [0, new LineSplitter()];
    if (size === position) {
      if (nlink === 0) return;
      await changes.next(signal);
      continue;
    }
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    position += bytesRead;
    yield* splitter.push(buffer.subarray(0, bytesRead)).map(redactLine);
  }
}

interface SplitText {
  /** Finished lines. */
  readonly whole: string[];
  /** An unfinished line. */
  readonly rest: Buffer;
}

/** Reads backwards until it has enough lines. */
async function tailUpTo(file: FileHandle, { lines, size }: { lines: number; size: number }): Promise<SplitText> {
  const parts: Buffer[] = [];
  let breaks = 0;
  let position = size;
  while (position > 0 && breaks <= lines && size - position < TAIL_BYTES) {
    const length = Math.min(CHUNK_BYTES, position);
    position -= length;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
    const part = buffer.subarray(0, bytesRead);
    for (const byte of part) if (byte === NEWLINE) breaks++;
    parts.unshift(part);
  }
  const { whole, rest } = splitLines(Buffer.concat(parts));
  return { whole: lines === 0 ? [] : whole.slice(-lines), rest };
}

function splitLines(text: Buffer): SplitText {
  const end = text.lastIndexOf(NEWLINE);
  if (end < 0) return { whole: [], rest: text };
  return { whole: text.toString("utf8", 0, end).split("\n"), rest: text.subarray(end + 1) };
}

const openLog = (folder: string): Promise<FileHandle | null> => openToRead(join(folder, ENGINE_LOG));

/** Wakes a follower at a change of the log, and periodically for file systems without change events. */
class LogChanges {
  readonly #watcher: FSWatcher | null;
  #changed = new AbortController();

  constructor(path: string) {
    this.#watcher = this.#watch(path);
    this.#watcher?.on("error", () => this.#watcher?.close());
  }

  async next(signal: AbortSignal): Promise<void> {
    await delay(POLL_MS, AbortSignal.any([this.#changed.signal, signal]));
    this.#changed = new AbortController();
  }

  [Symbol.dispose](): void {
    this.#watcher?.close();
  }

  /** Null when the inotify limit is reached or the log is gone. Then only polling remains. */
  #watch(path: string): FSWatcher | null {
    try {
      return watch(path, { persistent: false }, () => this.#changed.abort());
    } catch {
      return null;
    }
  }
}
