import { delay } from "../../../shared/clock.ts";
import type { Logger } from "../../../shared/logger.ts";
import { RecentKinds } from "./recent-kinds.ts";
import type { SpareProcess } from "./spare-process.ts";
import type { ClaimOutcome, SparesReport } from "../../../contract/spares-report.ts";

/** Consecutive failures that stop the refill. */
const MAX_FAILURES = 3;
/** The retry interval of a stopped refill. */
const RETRY_MS = 60_000;
/** The shortest time between two starts, so that spares that end at once do not take the processor. */
const START_EVERY_MS = 250;

/** What the refill of spares needs to know of a launch: the arguments and environment of its process. */
interface SpareKind {
  readonly nodeOptions: readonly string[];
}

interface SparePoolOptions {
  readonly target: number;
  /** Starts one process. Null where none can be started from a snapshot. Throws when it fails. */
  readonly start: (kind: SpareKind) => SpareProcess;
  /** The expected kind before the first launch. */
  readonly firstKind: () => Promise<SpareKind | null>;
  /** Whether boots run or wait. They have priority. */
  readonly isBusy: () => boolean;
  readonly logger: Logger;
  readonly retryMs?: number;
}

/** Keeps processes ready for the next launches: as many as the target, of the kind that is launched most often. */
export class SparePool {
  readonly #options: SparePoolOptions;
  readonly #stopped = new AbortController();
  readonly #recent = new RecentKinds<SpareKind>(({ nodeOptions }) => nodeOptions.join(" "));
  readonly #claims: Record<ClaimOutcome, number> = { claimed: 0, none_left: 0, unfit: 0 };
  #ready: { readonly spare: SpareProcess; readonly kind: SpareKind }[] = [];
  #starting: SpareProcess | null = null;
  #failures = 0;
  #problem: string | null = null;
  #isRefilling = false;

  constructor(options: SparePoolOptions) {
    this.#options = options;
  }

  report(): SparesReport {
    const { target } = this.#options;
    return { target, ready: this.#ready.length, problem: this.#problem, claims: { ...this.#claims } };
  }

  /** Starts to fill. */
  open(): void {
    void this.#options.firstKind().then((kind) => {
      if (kind !== null) this.#recent.note(kind);
      this.refill();
    });
  }

  /** A spare for a launch of this kind, which the caller claims. Null when there is none. */
  take(kind: SpareKind): SpareProcess | null {
    if (this.#options.target === 0) return null;
    this.#recent.note(kind);
    const index = this.#ready.findIndex((one) => this.#recent.isSame(one.kind, kind));
    const [taken] = index < 0 ? [] : this.#ready.splice(index, 1);
    this.refill();
    return taken?.spare ?? null;
  }

  /** Counts how a launch went. Without spares nothing is counted. */
  count(outcome: ClaimOutcome): void {
    if (this.#options.target > 0) this.#claims[outcome]++;
  }

  refill(): void {
    if (this.#options.target === 0 || this.#stopped.signal.aborted) return;
    if (this.#isRefilling) return;
    this.#isRefilling = true;
    void this.#refill().finally(() => {
      this.#isRefilling = false;
    });
  }

  /** Kills all unclaimed spares. */
  close(): void {
    this.#stopped.abort();
    this.#starting?.end();
    for (const { spare } of this.#ready.splice(0)) spare.end();
  }

  async #refill(): Promise<void> {
    const { signal } = this.#stopped;
    for (;;) {
      if (!(await delay(this.#problem === null ? START_EVERY_MS : this.#retryMs, signal))) return;
      const kind = this.#recent.most();
      if (kind === null) return;
      this.#endOthers(kind);
      if (this.#ready.length >= this.#options.target) return;
      if (!this.#options.isBusy()) await this.#startOne(kind);
    }
  }

  async #startOne(kind: SpareKind): Promise<void> {
    try {
      const spare = this.#options.start(kind);
      this.#starting = spare;
      await spare.ready;
      this.#add(spare, kind);
    } catch (error) {
      if (!this.#stopped.signal.aborted) this.#failed(error);
    } finally {
      this.#starting = null;
    }
  }

  #add(spare: SpareProcess, kind: SpareKind): void {
    if (this.#problem !== null) this.#options.logger.info("resumed starting spare engines");
    this.#failures = 0;
    this.#problem = null;
    const entry = { spare, kind };
    this.#ready.push(entry);
    void spare.exited.then(() => {
      const index = this.#ready.indexOf(entry);
      if (index < 0) return;
      this.#ready.splice(index, 1);
      spare.end();
      this.#options.logger.warn({ pid: spare.identity.pid }, "removed a spare engine that exited");
      this.refill();
    });
  }

  #failed(error: unknown): void {
    const { logger } = this.#options;
    this.#failures++;
    logger.warn({ err: error, failures: this.#failures }, "failed to start a spare engine");
    if (this.#failures < MAX_FAILURES || this.#problem !== null) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#problem = `no spare engines (ORCH_WARM_ENGINES): ${MAX_FAILURES} failed in a row, the last one: ${reason}`;
    logger.error({ reason, retry_s: this.#retryMs / 1000 }, "stopped starting spare engines: too many failed in a row");
  }

  get #retryMs(): number {
    return this.#options.retryMs ?? RETRY_MS;
  }

  /** Kills the spares of other kinds. */
  #endOthers(kind: SpareKind): void {
    const others = this.#ready.filter((one) => !this.#recent.isSame(one.kind, kind));
    this.#ready = this.#ready.filter((one) => !others.includes(one));
    for (const { spare } of others) spare.end();
  }
}
