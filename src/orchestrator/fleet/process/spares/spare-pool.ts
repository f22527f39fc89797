import { inBackground, untilExit } from "../../../../shared/background.ts";
import { delay } from "../../../../shared/clock.ts";
import { RefillFailures } from "./refill-failures.ts";
import { RecentKinds } from "./recent-kinds.ts";
import type { SpareKind, SparePoolOptions } from "./spare-pool-options.ts";
import type { SpareProcess } from "./spare-process.ts";
import type { ClaimOutcome, SparesReport } from "../../../../contract/orchestrator/spares-report.ts";

/** The wait while boots have all slots. It is short, since between two boots there may be little time. */
const BUSY_MS = 20;
/** The wait after a claim. The start of a spare takes a core for 150 ms, which the claimed engine needs for its first call. */
const AFTER_CLAIM_MS = 100;
/** The wait while the host has no room for spares. */
const NO_ROOM_MS = 1000;

interface ReadySpare {
  readonly spare: SpareProcess;
  readonly kind: SpareKind;
}

/** Keeps processes ready for the next launches: as many as the target, of the kinds that are launched most often. */
export class SparePool {
  readonly #options: SparePoolOptions;
  readonly #stopped = new AbortController();
  readonly #recent = new RecentKinds<SpareKind>(({ nodeOptions }) => nodeOptions.join(" "));
  readonly #claims: Record<ClaimOutcome, number> = { claimed: 0, none_left: 0, unfit: 0 };
  #ready: ReadySpare[] = [];
  readonly #starting = new Set<ReadySpare>();
  readonly #failures: RefillFailures;
  #isRefilling = false;
  /** Of the monotonic clock. */
  #restsUntil = 0;

  constructor(options: SparePoolOptions) {
    this.#options = options;
    this.#failures = new RefillFailures(options.logger, options.retryMs);
  }

  report(): SparesReport {
    const { target } = this.#options;
    return { target, ready: this.#ready.length, problem: this.#failures.problem, claims: { ...this.#claims } };
  }

  /** Starts to fill. */
  open(): void {
    const filled = this.#options.firstKind().then((kind) => {
      if (kind !== null) this.#recent.note(kind);
      this.refill();
    });
    inBackground("start of spares", filled);
  }

  /** A spare for a launch of this kind, which the caller claims. Null when there is none. */
  take(kind: SpareKind): SpareProcess | null {
    if (this.#options.target === 0) return null;
    this.#recent.note(kind);
    const index = this.#ready.findIndex((one) => this.#recent.isSame(one.kind, kind));
    const [taken] = index < 0 ? [] : this.#ready.splice(index, 1);
    const now = performance.now();
    // Not longer with each claim, so that many of them do not keep the pool empty.
    if (taken !== undefined && now >= this.#restsUntil) this.#restsUntil = now + AFTER_CLAIM_MS;
    this.refill();
    return taken?.spare ?? null;
  }

  /** Counts how a launch went, and returns it. Null without spares: then nothing is counted. */
  count(outcome: ClaimOutcome): ClaimOutcome | null {
    if (this.#options.target === 0) return null;
    this.#claims[outcome]++;
    return outcome;
  }

  /** Ends one spare, because an engine needs its memory. False when there is none. */
  endOne(): boolean {
    const one = this.#ready.pop();
    one?.spare.end();
    if (one !== undefined) this.refill();
    return one !== undefined;
  }

  refill(): void {
    if (this.#options.target === 0 || this.#stopped.signal.aborted) return;
    if (this.#isRefilling) return;
    this.#isRefilling = true;
    const filled = this.#refill().finally(() => {
      this.#isRefilling = false;
    });
    inBackground("refill of spares", filled);
  }

  /** Kills all unclaimed spares. */
  close(): void {
    this.#stopped.abort();
    for (const { spare } of [...this.#starting, ...this.#ready.splice(0)]) spare.end();
  }

  /** Starts spares until the pool is full. Ends the ones that are too many, or of kinds that are rare by now. */
  async #refill(): Promise<void> {
    let { waitMs } = this.#failures;
    while (await delay(waitMs, this.#stopped.signal)) {
      const { target, fitting, freeBoots, hasMemory } = this.#options;
      const seats = Math.min(target, fitting());
      const missing = this.#settle(seats);
      const restMs = this.#restsUntil - performance.now();
      if (missing === undefined && seats === target) return;
      if (missing !== undefined && restMs > 0) waitMs = restMs;
      else if (missing === undefined || !(await hasMemory())) waitMs = NO_ROOM_MS;
      else if (this.#starting.size >= freeBoots()) waitMs = BUSY_MS;
      else waitMs = await this.#startOne(missing);
    }
  }

  /** Ends the spares beyond `seats` and those of rare kinds. Returns the kind of which one is missing, or undefined. */
  #settle(seats: number): SpareKind | undefined {
    const all = [...this.#starting, ...this.#ready];
    const missing = [
      ...this.#recent.divide(
        seats,
        all.map(({ kind }) => kind),
      ),
    ];
    const surplus = all.filter(({ kind }) => {
      const index = missing.findIndex((one) => this.#recent.isSame(one, kind));
      if (index >= 0) missing.splice(index, 1);
      return index < 0;
    });
    this.#ready = this.#ready.filter((one) => !surplus.includes(one));
    for (const one of surplus) if (!this.#starting.has(one)) one.spare.end();
    return missing[0];
  }

  /** Returns how long to wait before the next start. While starts fail, one is awaited before the next. */
  async #startOne(kind: SpareKind): Promise<number> {
    let settled: Promise<void> | null = null;
    try {
      const entry = { spare: this.#options.start(kind), kind };
      this.#starting.add(entry);
      settled = entry.spare.ready
        .then(
          () => this.#add(entry),
          (error: unknown) => this.#failed(error),
        )
        .then(() => {
          this.#starting.delete(entry);
          this.refill();
        });
    } catch (error) {
      this.#failed(error);
    }
    if (this.#failures.isFailing) await settled;
    return this.#failures.waitMs;
  }

  #add(entry: ReadySpare): void {
    const { spare } = entry;
    this.#failures.started();
    this.#ready.push(entry);
    const removed = spare.exited.then(() => {
      const index = this.#ready.indexOf(entry);
      if (index < 0) return;
      this.#ready.splice(index, 1);
      spare.end();
      this.#failures.exited(spare.identity.pid);
      this.refill();
    });
    untilExit("exit of a spare", removed);
  }

  #failed(error: unknown): void {
    if (!this.#stopped.signal.aborted) this.#failures.failed(error);
  }
}
