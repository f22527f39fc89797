import { requestTokens } from "../model/context-window.ts";
import type { ModelRequest, ModelUsage } from "../model/model-provider.ts";

const CONVERSATIONS_KEPT = 1000;
/** A provider that reports less than a quarter of the estimate did not count the whole request. */
const MIN_SCALE = 0.25;
/** Scale shared between conversations of a model: its maximum, and the factor it may change by per call. */
const SHARED = { max: 8, change: 2 };
/** Same minimum as `LLM_CONTEXT_WINDOW`. */
const MIN_WINDOW = 4000;

/** Size calibration and compaction history of one conversation. */
export interface Measure {
  /** Ratio of the token count of the model that answered last to the estimate. */
  scale: { readonly model: string; readonly ratio: number } | null;
  /** Consecutive failed compactions. */
  failures: number;
  /** Token count at which the last compaction gained too little; 0 when none did. */
  futileAt: number;
}

/**
 * Token counts of requests: estimates scaled by what the provider counted before. A window that the provider reports
 * takes precedence over the known one.
 */
export class ContextMeter {
  readonly #windowOf: (model: string) => number;
  readonly #conversations = new Map<string, Measure>();
  readonly #scales = new Map<string, number>();
  readonly #windows = new Map<string, number>();

  /** `windowOf`: the configured or known window of a model. */
  constructor(windowOf: (model: string) => number) {
    this.#windowOf = windowOf;
  }

  of(key: string): Measure {
    const known = this.#conversations.get(key) ?? { scale: null, failures: 0, futileAt: 0 };
    // Least recently used entries are evicted first.
    this.#conversations.delete(key);
    this.#conversations.set(key, known);
    const oldest = this.#conversations.keys().next();
    if (this.#conversations.size > CONVERSATIONS_KEPT && !oldest.done) this.#conversations.delete(oldest.value);
    return known;
  }

  tokens(key: string, request: ModelRequest): number {
    return Math.ceil(requestTokens(request) * this.scale(key, request.model));
  }

  scale(key: string, model: string): number {
    const { scale } = this.of(key);
    return scale?.model === model ? scale.ratio : (this.#scales.get(model) ?? 1);
  }

  measured(key: string, request: ModelRequest, { inputTokens }: ModelUsage): void {
    // The model accepted more than its reported window.
    if (inputTokens > (this.#windows.get(request.model) ?? Number.POSITIVE_INFINITY))
      this.#windows.delete(request.model);
    // Some servers report 0, and no count can exceed the window.
    if (inputTokens === 0 || inputTokens > this.window(request.model)) return;
    const scale = Math.max(MIN_SCALE, inputTokens / requestTokens(request));
    this.of(key).scale = { model: request.model, ratio: scale };
    const shared = this.#scales.get(request.model) ?? 1;
    const near = clamp(scale, shared / SHARED.change, shared * SHARED.change);
    this.#scales.set(request.model, clamp(near, MIN_SCALE, SHARED.max));
  }

  window(model: string): number {
    return this.#windows.get(model) ?? this.knownWindow(model);
  }

  /** The configured or known window, without the window that the provider reported. */
  knownWindow(model: string): number {
    return this.#windowOf(model);
  }

  learnWindow(model: string, tokens: number): void {
    if (tokens >= MIN_WINDOW) this.#windows.set(model, Math.min(tokens, this.window(model)));
  }
}

const clamp = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max);
