import { setImmediate as nextTurn } from "node:timers/promises";
import { inBackground } from "../../../shared/background.ts";
import type { Logger } from "../../../shared/logger.ts";
import type { Store } from "../../store/open-store.ts";
import { Table } from "../../store/table.ts";
import type { WriteLane } from "../write-lane.ts";

interface MergingParts {
  readonly store: Store;
  readonly lane: WriteLane;
  readonly logger: Logger;
}

const PASS_INTERVAL_MS = 60_000;
/** A search looks up some 90 terms in each segment: of 100,000 rounds, a segment costs it 0.3 ms. */
const MAX_SEGMENTS = 3;
/** Leaf pages that a step writes, in 2 ms. A term is merged whole, though: the most frequent one of 100,000 rounds takes 10 ms. */
const PAGES_PER_STEP = 16;
/** After 100 steps, SQLite began its own checkpoint within a step, of 14 ms. */
const STEPS_PER_CHECKPOINT = 40;
/** Share of new rows from which all segments become one. Merging a row then costs as much as writing it. */
const GROWTH = 1 / 16;
/** In a smaller index, all segments become one whenever there are too many. */
const SMALL = 5000;

/**
 * Merges segments of the full-text index while nobody writes, in short transactions, each of which leaves a sound index. What
 * FTS5 merges by itself, within the writes of turns, leaves about ten segments. Words of what was forgotten are in the file until
 * all segments are merged, which is done soon.
 */
export class IndexMerging extends Table {
  readonly #parts: MergingParts;
  readonly #timer;
  readonly #segments = this.db.prepare("select count(distinct segid) as n from memory_index_idx");
  readonly #rows = this.db.prepare(
    `select coalesce((select max(number) from episodes), 0) + coalesce((select max(number) from knowledge), 0)
     + coalesce((select max(id) from working_memory), 0) as n`,
  );
  readonly #changes = this.db.prepare("select total_changes() as n");
  readonly #merge = this.db.prepare("insert into memory_index (memory_index, rank) values ('merge', ?)");
  readonly #mergeTwo = this.db.prepare("insert into memory_index (memory_index, rank) values ('usermerge', 2)");
  /** Changes of the store at the last tick, and after the last pass. */
  #changesAtTick: number | null = null;
  #changesMerged: number | null = null;
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: MergingParts, everyMs = PASS_INTERVAL_MS) {
    super(parts.store);
    this.#parts = parts;
    this.#timer = setInterval(() => this.#tick(), everyMs).unref();
  }

  /** Merges until few segments are left or somebody else writes. One pass at a time; never rejects. */
  work(): Promise<void> {
    this.#working ??= this.#pass()
      .catch((error: unknown) =>
        this.#parts.logger.warn({ err: error }, "failed to merge the full-text index of memory"),
      )
      .finally(() => (this.#working = undefined));
    return this.#working;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isClosed = true;
    await this.#working;
  }

  /** Works if nothing was written since the last tick, and something since the last pass. */
  #tick(): void {
    const changes = this.#changeCount();
    const isQuiet = changes === this.#changesAtTick;
    this.#changesAtTick = changes;
    if (isQuiet && changes !== this.#changesMerged) inBackground("merging of the memory index", this.work());
  }

  async #pass(): Promise<void> {
    const { lane } = this.#parts;
    const { state } = this.store;
    const merged = state.get("index_merged")?.rows ?? null;
    const rows = Number(this.#rows.get()?.["n"]);
    if (merged === null || this.#hasMany) {
      // A level with two segments is merged, instead of four.
      await lane.run(() => this.#mergeTwo.run());
      // This also continues a merge of all that was interrupted.
      if (!(await this.#steps(PAGES_PER_STEP))) return;
    }
    if (merged === null || (this.#hasMany && (rows < SMALL || Math.abs(rows - merged) >= merged * GROWTH))) {
      // A negative number makes all segments one.
      if (!(await this.#steps(-PAGES_PER_STEP))) return;
      await lane.run(() => state.set("index_merged", { rows }));
    }
    this.#changesMerged = this.#changeCount();
  }

  /** False if it was stopped, or somebody else has written: a turn may run. */
  async #steps(first: number): Promise<boolean> {
    let changes = this.#changeCount();
    for (let step = 1; !this.#isClosed; step++) {
      const written = await this.#parts.lane.run(() => this.#step(step === 1 ? first : PAGES_PER_STEP));
      const isAlone = this.#changeCount() === (changes += written);
      // FTS5 counts one change for a merge with nothing to do.
      if (written <= 1 || !isAlone) return isAlone;
      if (step % STEPS_PER_CHECKPOINT === 0) await this.store.checkpoint();
      await nextTurn();
    }
    return false;
  }

  #step(pages: number): number {
    const before = this.#changeCount();
    this.#merge.run(pages);
    return this.#changeCount() - before;
  }

  #changeCount(): number {
    return Number(this.#changes.get()?.["n"]);
  }

  get #hasMany(): boolean {
    return Number(this.#segments.get()?.["n"]) > MAX_SEGMENTS;
  }
}
