import { COOLDOWN_LIMITS, type CooldownReason, type ModelCooldown } from "../../contract/engine/models.ts";

const FIRST_MS = 15_000;
const LONGEST_BACKOFF_MS = 300_000;
/** While one call tries a model again, others do not. */
const TRIAL_MS = 60_000;
/** Spreads the first calls of the engines of a host after a cooldown. */
const JITTER_SHARE = 0.25;

interface Entry {
  readonly until: number;
  readonly reason: CooldownReason;
  /** Failures since the last answer. */
  readonly failures: number;
  /** `own`: observed by this engine. `told`: by the daemon. `trial`: a call tries the model again. */
  readonly kind: "own" | "told" | "trial";
}

/**
 * The models that failed a short time ago, by this engine's calls or by those of the host's other engines. A turn with
 * another model does not call them meanwhile. Afterwards one call tries the model; the others follow when it answers.
 */
export class ModelCooldowns {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: () => number;
  readonly #random: () => number;

  constructor({
    clock = () => performance.now(),
    random = Math.random,
  }: { clock?: () => number; random?: () => number } = {}) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Milliseconds until the model may be called again; 0 when it may be called now. */
  leftMs(model: string): number {
    return Math.max(0, (this.#entries.get(model)?.until ?? 0) - this.#clock());
  }

  /** A call begins. If the model has failed before, others wait for how it ends. */
  tried(model: string): void {
    const entry = this.#entries.get(model);
    if (entry !== undefined && this.leftMs(model) === 0)
      this.#entries.set(model, { ...entry, until: this.#clock() + TRIAL_MS, kind: "trial" });
  }

  answered(model: string): void {
    this.#entries.delete(model);
  }

  failed(model: string, reason: CooldownReason, retryAfterS: number | null): void {
    const known = this.#entries.get(model);
    // Calls that fail together count once.
    const isOneMore = known === undefined || known.kind !== "own" || this.leftMs(model) === 0;
    const failures = (known?.failures ?? 0) + (isOneMore ? 1 : 0);
    const backoffMs = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS);
    const ms = Math.min(Math.max(backoffMs, (retryAfterS ?? 0) * 1000), COOLDOWN_LIMITS.longestMs);
    this.#set(model, { until: this.#clock() + ms, reason, failures, kind: "own" });
  }

  /** A call ended without telling anything about the model, such as a cancelled one. */
  released(model: string): void {
    const entry = this.#entries.get(model);
    if (entry?.kind === "trial") this.#entries.set(model, { ...entry, until: this.#clock() });
  }

  /** What engines of the host have observed. It only prolongs. */
  told({ model, reason, for_ms: forMs }: ModelCooldown): void {
    const until = this.#clock() + forMs * (1 + this.#random() * JITTER_SHARE);
    const known = this.#entries.get(model);
    if (known !== undefined && known.until >= until) return;
    this.#set(model, { until, reason, failures: known?.failures ?? 1, kind: "told" });
  }

  /** What this engine has observed. What it was told would come back to it for ever. */
  own(): readonly ModelCooldown[] {
    return [...this.#entries].flatMap(([model, { reason, kind }]) => {
      const forMs = Math.round(this.leftMs(model));
      return kind === "own" && forMs > 0 ? [{ model, reason, for_ms: forMs }] : [];
    });
  }

  #set(model: string, entry: Entry): void {
    this.#entries.delete(model);
    this.#entries.set(model, entry);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > COOLDOWN_LIMITS.models && !oldest.done) this.#entries.delete(oldest.value);
  }
}
