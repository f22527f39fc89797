import { hasCode } from "../../../shared/error-code.ts";
import type { Logger } from "../../../shared/logger.ts";
import type { FolderUsage } from "./folder-usage.ts";

const MIB = 1_048_576;
/** Above this share, tool results contain the used part of the quota. */
const WARN_SHARE = 0.9;
/** At most a tenth of the time is spent measuring. */
const REST_PER_MEASURE = 9;
const MIN_REST_MS = 500;
/** Bytes that a command may add on a full disk, such as for folders and links. */
const FULL_SLACK_BYTES = MIB;
const NOTHING: FolderUsage = { bytes: 0, largest: 0 };

/**
 * The disk quota of one engine: its folder, measured again and again while tools run. It ends tools and refuses to write
 * for them. The engine's own store is counted, but never refused: it needs little, and a turn must be able to end.
 */
export class DiskQuota {
  readonly #limit: number;
  readonly #measure: () => Promise<FolderUsage>;
  readonly #logger: Logger;
  #usage: FolderUsage | null = null;
  #measuring: Promise<void> | null = null;
  #notBefore = 0;
  #warned = false;

  /** `measure` rejects with `ENAMETOOLONG` where it cannot see all: that counts as full. */
  constructor({
    megabytes,
    measure,
    logger,
  }: {
    readonly megabytes: number;
    readonly measure: () => Promise<FolderUsage>;
    readonly logger: Logger;
  }) {
    this.#limit = megabytes * MIB;
    this.#measure = measure;
    this.#logger = logger;
  }

  /** As last measured, with what file tools wrote since. */
  get usedBytes(): number {
    return this.#usage?.bytes ?? 0;
  }

  get isMeasured(): boolean {
    return this.#usage !== null;
  }

  get isFull(): boolean {
    return this.usedBytes >= this.#limit;
  }

  /** Measures again, unless that was done just now: then the last figure is new enough. Never rejects. */
  async refresh(): Promise<void> {
    if (this.#measuring === null && Date.now() < this.#notBefore) return;
    await this.remeasure();
  }

  /** Measures now: for a caller that would be refused otherwise. Never rejects. */
  async remeasure(): Promise<void> {
    this.#measuring ??= this.#measureNow().finally(() => (this.#measuring = null));
    await this.#measuring;
  }

  /** Why `bytes` more may not be written, or null. Counts them as written. */
  async admit(bytes: number): Promise<string | null> {
    const hasRoom = () => this.isMeasured && this.usedBytes + bytes <= this.#limit;
    if (!hasRoom()) await this.remeasure();
    if (!hasRoom()) return this.#usedUp();
    const { bytes: used, largest } = this.#usage ?? NOTHING;
    this.#usage = { bytes: used + bytes, largest: Math.max(largest, bytes) };
    return null;
  }

  /** The usage at which a command that starts now is ended. A full disk can still be cleaned up by a command. */
  ceiling(): number {
    return Math.max(this.#limit, this.isFull ? this.usedBytes + FULL_SLACK_BYTES : 0);
  }

  /** Why a command with this ceiling is ended now, or null. */
  exceeded(ceiling: number): string | null {
    return this.usedBytes > ceiling ? this.#usedUp() : null;
  }

  /** The largest file that a program started now may write: no file needs more than its size and what is left. */
  fileBytes(): number {
    return this.isFull ? 0 : this.#limit - this.usedBytes + (this.#usage?.largest ?? 0);
  }

  /** For results of tools, when little is left. */
  note(): string | null {
    if (this.isFull) return this.#usedUp();
    if (this.usedBytes < this.#limit * WARN_SHARE) return null;
    return `${Math.floor(this.usedBytes / MIB)} MB of the disk quota of ${this.#limit / MIB} MB are used`;
  }

  #usedUp(): string {
    return `the disk quota of ${this.#limit / MIB} MB is used up; delete files`;
  }

  async #measureNow(): Promise<void> {
    const start = performance.now();
    try {
      this.#usage = await this.#measure();
    } catch (error) {
      this.#logger.warn({ err: error }, "failed to measure the engine's folder");
      // A tool has nested folders too deeply to read them.
      this.#usage = hasCode(error, "ENAMETOOLONG") ? { bytes: Infinity, largest: 0 } : (this.#usage ?? NOTHING);
    }
    this.#notBefore = Date.now() + Math.max(MIN_REST_MS, REST_PER_MEASURE * (performance.now() - start));
    const note = this.note();
    if (note !== null && !this.#warned) this.#logger.warn({ used_bytes: this.usedBytes }, "disk quota almost used up");
    this.#warned = note !== null;
  }
}
