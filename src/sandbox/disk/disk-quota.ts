import type { Logger } from "../host.ts";
import { DiskMeter, type DiskMeterOptions, type DiskUsage, NOISE_BYTES } from "./disk-meter.ts";
import type { DiskSpace } from "./disk-space.ts";

const MIB = 1_048_576;
/** Above this share, {@link DiskQuota.note} tells the used part of the quota. */
const WARN_SHARE = 0.9;
/** Bytes that a program may add on a full disk, such as for folders and links. */
const FULL_SLACK_BYTES = MIB;
/** Programs stop this far above the reserve, because each quota of the host notices a little late. */
const RESERVE_MARGIN_BYTES = 128 * MIB;

/** The bounds of one running program. */
export interface DiskBounds {
  /** Of the usage, at the quota. */
  readonly quota: number;
  /** Of the usage, while the host's disk is almost full. */
  whileLow: number;
}

export interface DiskLook {
  /** As `DiskSpace.free`. */
  readonly freeBytes: number;
  /** What the file system has lost since the last measure. */
  readonly lostBytes: number;
  /** What programs may still write, if it was them. */
  readonly roomBytes: number;
  /** They may have written more than that, and only a measure tells whether it was them. */
  readonly isSuspect: boolean;
}

export interface DiskQuotaOptions extends Pick<DiskMeterOptions, "measure" | "space"> {
  readonly megabytes: number;
  /** MiB that stay free on the host's disk, whatever the quota. */
  readonly reserveMegabytes: number;
  readonly logger: Logger;
}

/**
 * The disk quota of one folder, measured again and again while programs run. It tells which program is to end, and
 * whether something may be written for them. What else is written there counts, and is not refused.
 */
export class DiskQuota {
  readonly #limit: number;
  readonly #reserve: number;
  readonly #space: () => DiskSpace;
  readonly #logger: Logger;
  readonly #meter: DiskMeter;
  readonly #programs = new Set<DiskBounds>();
  #isLow: boolean;
  #warned = false;

  constructor({ megabytes, reserveMegabytes, measure, space, logger }: DiskQuotaOptions) {
    this.#limit = megabytes * MIB;
    this.#reserve = reserveMegabytes === 0 ? 0 : reserveMegabytes * MIB + RESERVE_MARGIN_BYTES;
    this.#space = space;
    this.#logger = logger;
    this.#isLow = this.#leavesReserve(space()) <= 0;
    this.#meter = new DiskMeter({
      measure,
      space,
      limit: this.#limit,
      programsRun: () => this.#programs.size > 0,
      onMeasured: (before, failure) => this.#measured(before, failure),
    });
  }

  /** As last measured, with what was admitted since. */
  get usedBytes(): number {
    return this.#meter.usage?.bytes ?? 0;
  }

  get isMeasured(): boolean {
    return this.#meter.usage !== null;
  }

  /** Nothing may be written: the quota is used up, or the host's disk almost full. */
  get isFull(): boolean {
    return this.usedBytes >= this.#limit || this.#isLow;
  }

  /** See `DiskMeter`. */
  refresh = (): Promise<void> => this.#meter.refresh();
  remeasure = (): Promise<void> => this.#meter.remeasure();
  measureStopped = (): Promise<void> => this.#meter.measureStopped();

  /** Why `bytes` more may not be written, or null. Counts them as written. */
  async admit(bytes: number): Promise<string | null> {
    const hasRoom = () => this.isMeasured && !this.#isLow && this.usedBytes + bytes <= this.#limit;
    if (!hasRoom()) await this.remeasure();
    if (!hasRoom()) return this.#refusal();
    this.#meter.add(bytes);
    return null;
  }

  /** The bounds of a program that starts now, until {@link leave}. A full disk can still be cleaned up by a program. */
  enter(): DiskBounds {
    const whenFull = this.usedBytes + FULL_SLACK_BYTES;
    const bounds = { quota: Math.max(this.#limit, whenFull), whileLow: this.#isLow ? whenFull : Infinity };
    this.#programs.add(bounds);
    return bounds;
  }

  leave(bounds: DiskBounds): void {
    this.#programs.delete(bounds);
  }

  /** Why a program with these bounds is ended now, or null. */
  exceeded({ quota, whileLow }: DiskBounds): string | null {
    if (this.usedBytes > quota) return this.#usedUp();
    return this.#isLow && this.usedBytes > whileLow ? HOST_IS_FULL : null;
  }

  /** One look at the file system, without a measure. */
  look(): DiskLook {
    const now = this.#space();
    const lostBytes = this.#meter.lostBytes(now);
    const bounds = [...this.#programs].map(({ quota }) => quota);
    const ofQuota = (bounds.length === 0 ? this.#limit : Math.min(...bounds)) - this.usedBytes - lostBytes;
    const roomBytes = Math.max(0, Math.min(ofQuota, this.#leavesReserve(now)));
    const isSuspect = this.#meter.isUnsure || (roomBytes === 0 && lostBytes >= NOISE_BYTES);
    return { roomBytes, lostBytes, freeBytes: now.free, isSuspect };
  }

  /** The largest file that a program started now may write: no file needs more than its size and what is left. */
  fileBytes(): number {
    if (this.isFull) return 0;
    const left = Math.min(this.#limit - this.usedBytes, this.#leavesReserve(this.#space()));
    return Math.max(0, left) + (this.#meter.usage?.largest ?? 0);
  }

  /** For users of programs, when little is left. Otherwise null. */
  note(): string | null {
    if (this.isFull) return this.#refusal();
    if (this.usedBytes < this.#limit * WARN_SHARE) return null;
    return `${Math.floor(this.usedBytes / MIB)} MB of the disk quota of ${this.#limit / MIB} MB are used`;
  }

  #refusal(): string {
    return this.#isLow && this.usedBytes < this.#limit ? HOST_IS_FULL : this.#usedUp();
  }

  #usedUp(): string {
    return `the disk quota of ${this.#limit / MIB} MB is used up; delete files`;
  }

  #leavesReserve({ availableBytes }: DiskSpace): number {
    return availableBytes - this.#reserve;
  }

  #measured(before: DiskUsage | null, failure: Error | null): void {
    this.#setLow(this.#leavesReserve(this.#space()) <= 0, before?.bytes ?? this.usedBytes);
    if (failure !== null) this.#logger.warn({ err: failure }, "failed to measure the folder of a disk quota");
    const note = this.note();
    if (note !== null && !this.#warned) this.#logger.warn({ used_bytes: this.usedBytes }, "disk quota almost used up");
    this.#warned = note !== null;
  }

  /** Programs that run already may grow no further than they were before. */
  #setLow(isLow: boolean, before: number): void {
    if (isLow === this.#isLow) return;
    this.#isLow = isLow;
    for (const bounds of this.#programs) bounds.whileLow = isLow ? before + FULL_SLACK_BYTES : Infinity;
  }
}

const HOST_IS_FULL = "the disk of the host is almost full; delete files, or try again later";
