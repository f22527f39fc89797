import { SAMPLE_COUNT, SAMPLE_INTERVAL_S } from "../../contract/orchestrator/sample-measures.ts";

const INTERVAL_MS = SAMPLE_INTERVAL_S * 1000;

/** How the values of one sample interval are merged. */
export type Merge = "average" | "last" | "sum";

/** A ring buffer of the last hour's samples, with several measures each. NaN: no value. 10 KB for seven measures. */
export class SampleRing {
  readonly #merges: readonly Merge[];
  readonly #values: Float32Array;
  /** How many values the newest sample has of each measure. */
  readonly #merged: Uint8Array;
  /** The number of the newest sample since the epoch. */
  #newest = -1;

  constructor(merges: readonly Merge[]) {
    this.#merges = merges;
    this.#values = new Float32Array(SAMPLE_COUNT * merges.length).fill(Number.NaN);
    this.#merged = new Uint8Array(merges.length);
  }

  /** Adds a value of each measure, null for none. Times that go back are taken as the newest sample's. */
  add(now: number, values: readonly (number | null)[]): void {
    this.#moveTo(Math.floor(now / INTERVAL_MS));
    const at = this.#offset(this.#newest);
    for (const [index, value] of values.entries()) {
      if (value === null) continue;
      const before = this.#merged[index] ?? 0;
      this.#values[at + index] =
        before === 0 ? value : this.#merge(index, { last: this.#values[at + index] ?? 0, value });
      this.#merged[index] = Math.min(before + 1, 255);
    }
  }

  /** Whether every sample is older than an hour. */
  isOver(now: number): boolean {
    return Math.floor(now / INTERVAL_MS) - this.#newest >= SAMPLE_COUNT;
  }

  /** Each measure's values of the last hour, oldest first; `from` in milliseconds since the epoch. */
  read(now: number): { readonly from: number; readonly measures: readonly (readonly (number | null)[])[] } {
    const last = Math.max(Math.floor(now / INTERVAL_MS), this.#newest);
    const first = last - SAMPLE_COUNT + 1;
    const measures = this.#merges.map((_, index) =>
      Array.from({ length: SAMPLE_COUNT }, (_, step) => this.#value(first + step, index)),
    );
    return { from: first * INTERVAL_MS, measures };
  }

  #merge(index: number, { last, value }: { readonly last: number; readonly value: number }): number {
    const merge = this.#merges[index];
    const count = this.#merged[index] ?? 0;
    if (merge === "sum") return last + value;
    return merge === "average" ? last + (value - last) / (count + 1) : value;
  }

  #value(sample: number, index: number): number | null {
    if (sample > this.#newest || sample <= this.#newest - SAMPLE_COUNT || sample < 0) return null;
    const value = this.#values[this.#offset(sample) + index] ?? Number.NaN;
    return Number.isNaN(value) ? null : Math.round(value * 10) / 10;
  }

  #moveTo(sample: number): void {
    if (sample <= this.#newest) return;
    const first = Math.max(this.#newest + 1, sample - SAMPLE_COUNT + 1, 0);
    for (let passed = first; passed <= sample; passed++) {
      const at = this.#offset(passed);
      this.#values.fill(Number.NaN, at, at + this.#merges.length);
    }
    this.#merged.fill(0);
    this.#newest = sample;
  }

  #offset(sample: number): number {
    return (sample % SAMPLE_COUNT) * this.#merges.length;
  }
}
