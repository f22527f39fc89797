import type { DiskSpace } from "./disk-space.ts";

const MIB = 1_048_576;
/** The share of the time that is spent measuring, as its inverse: after growth, and while the disk loses little. */
const REST_PER_MEASURE = { grown: 9, quiet: 199 };
const MIN_REST_MS = 500;
/** A measure that takes longer has failed. Programs may be stopped until then. */
const MEASURE_WITHIN_MS = { running: 600_000, stopped: 30_000 };
/** The part of what is left of the quota that the file system loses before that is growth. */
const GROWN_SHARE = 1 / 8;
/** A loss of the file system below this is noise: logs, neighbours. */
export const NOISE_BYTES = 16 * MIB;

export interface DiskUsage {
  readonly bytes: number;
  /** The size of the largest file, with holes. */
  readonly largest: number;
  /** Programs may hold files whose size nobody can read: in a socket's queue, or mapped only. Null: not looked for. */
  readonly hasHidden: boolean | null;
  /** Why not all could be read. Null when it was. */
  readonly failure: Error | null;
}
const NOTHING: DiskUsage = { bytes: 0, largest: 0, hasHidden: false, failure: null };

export interface DiskMeterOptions {
  /** Looking for hidden files costs as much as the rest of a small folder. */
  readonly measure: (options: { readonly looksForHidden: boolean; readonly signal: AbortSignal }) => Promise<DiskUsage>;
  readonly space: () => DiskSpace;
  /** Counts as used when it cannot be measured. */
  readonly limit: number;
  readonly programsRun: () => boolean;
  /** After each measure. */
  readonly onMeasured: (before: DiskUsage | null, failure: Error | null) => void;
}

/**
 * The disk usage of one folder. It is always a finite number. Between two measures it cannot have grown by more
 * than the file system has lost, and what cannot be measured counts as that.
 */
export class DiskMeter {
  readonly #options: DiskMeterOptions;
  #usage: DiskUsage | null = null;
  /** Before the last measure. */
  #spaceThen: DiskSpace;
  /**
   * What the file system lost beyond the growth that was measured. A file that is hidden after it was measured counts too: the
   * folder then shrinks, and the file system gains nothing. Below 0 by what changed while it was measured.
   */
  #unexplained = 0;
  /** At the last measure that did not fail. */
  #reference: { readonly bytes: number; readonly free: number } | null = null;
  #hasHidden = false;
  #isUnsure = false;
  #measuring: Promise<void> | null = null;
  #restsUntil = { grown: 0, quiet: 0 };

  constructor(options: DiskMeterOptions) {
    this.#options = options;
    this.#spaceThen = options.space();
  }

  /** As last measured, with what was added since. Null before the first measure. */
  get usage(): DiskUsage | null {
    return this.#usage;
  }

  /** The last measure failed while programs ran, perhaps because they moved folders. */
  get isUnsure(): boolean {
    return this.#isUnsure;
  }

  /** What the file system has lost since the last measure. */
  lostBytes(now: DiskSpace = this.#options.space()): number {
    return Math.max(0, this.#spaceThen.free - now.free);
  }

  /** Counts a file that is about to be written. */
  add(bytes: number): void {
    const usage = this.#usage ?? NOTHING;
    this.#usage = { ...usage, bytes: usage.bytes + bytes, largest: Math.max(usage.largest, bytes) };
  }

  /** Measures again, unless that was done just now: then the last figure is new enough. Never rejects. */
  async refresh(): Promise<void> {
    const left = this.#options.limit - (this.#usage?.bytes ?? 0);
    const isGrown = this.lostBytes() >= Math.max(NOISE_BYTES, left * GROWN_SHARE);
    const rest = isGrown ? this.#restsUntil.grown : this.#restsUntil.quiet;
    if (this.#measuring === null && performance.now() < rest) return;
    await (this.#measuring ?? this.remeasure());
  }

  /** Measures from now on: a measure that began earlier missed what was written meanwhile. Never rejects. */
  async remeasure(): Promise<void> {
    await this.#measuring;
    this.#measuring ??= this.#measure("running").finally(() => (this.#measuring = null));
    await this.#measuring;
  }

  /** Measures while no program can change anything: then what cannot be measured is not so by chance. Never rejects. */
  async measureStopped(): Promise<void> {
    await this.#measuring;
    this.#measuring = this.#measure("stopped").finally(() => (this.#measuring = null));
    await this.#measuring;
  }

  async #measure(programs: "running" | "stopped"): Promise<void> {
    const { measure, space, programsRun, onMeasured } = this.#options;
    const start = performance.now();
    const now = space();
    const lost = this.lostBytes(now);
    const before = this.#usage;
    const signal = AbortSignal.timeout(MEASURE_WITHIN_MS[programs]);
    const measureOnce = async (looksForHidden: boolean): Promise<DiskUsage> => {
      const usage = await measure({ looksForHidden, signal }).catch((error: Error): DiskUsage => ({
        ...NOTHING,
        failure: error,
      }));
      if (usage.failure === null) this.#explain(usage.bytes, now.free, space().free);
      return usage;
    };
    let measured = await measureOnce(lost >= NOISE_BYTES || this.#hasHidden);
    if (measured.hasHidden === null && this.#unexplained >= NOISE_BYTES) measured = await measureOnce(true);
    this.#isUnsure = measured.failure !== null && programs === "running" && programsRun();
    this.#usage = this.#counted(measured, before?.bytes ?? 0, lost);
    this.#spaceThen = now;
    const spent = performance.now() - start;
    const restOf = (factor: number) => performance.now() + Math.max(MIN_REST_MS, factor * spent);
    this.#restsUntil = { grown: restOf(REST_PER_MEASURE.grown), quiet: restOf(REST_PER_MEASURE.quiet) };
    onMeasured(before, measured.failure);
  }

  #counted(measured: DiskUsage, before: number, lost: number): DiskUsage {
    const { bytes, failure } = measured;
    const { limit } = this.#options;
    if (failure !== null) return { ...measured, bytes: Math.max(bytes, before + lost, this.#isUnsure ? 0 : limit) };
    this.#hasHidden = measured.hasHidden ?? this.#hasHidden;
    if (measured.hasHidden === false) this.#unexplained = Math.min(0, this.#unexplained);
    return { ...measured, bytes: bytes + (this.#hasHidden ? Math.max(0, this.#unexplained) : 0) };
  }

  /** The file system may have changed during the measure, which saw that or not. */
  #explain(bytes: number, freeBefore: number, freeAfter: number): void {
    const free = Math.max(freeBefore, freeAfter);
    const then = this.#reference ?? { bytes, free };
    const unexplained = this.#unexplained + (then.free - free) - (bytes - then.bytes);
    this.#unexplained = Math.max(-Math.abs(freeBefore - freeAfter), unexplained);
    this.#reference = { bytes, free };
  }
}
