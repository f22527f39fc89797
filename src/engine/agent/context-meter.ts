import { contextWindow } from "../model/context-window.ts";
import type { ModelRequest, ModelUsage } from "../model/model-provider.ts";
import { requestTokens } from "../model/token-estimate.ts";
import { soundUsage } from "./sound-usage.ts";

const CONVERSATIONS_KEPT = 1000;
/** A provider that counts far less has not counted all of it; one that counts far more does not count tokens. */
const SCALES = { least: 0.25, most: 8 };
/** One report moves the scale by this factor at most: a wrong one does little, and the next ones correct it. */
const MOST_CHANGE = 2;
/** As for `LLM_CONTEXT_WINDOW`: a smaller window has no room for an agent. */
const LEAST_WINDOW = 4000;

/** What is known of one conversation's size, and of what was tried to make it smaller. */
export interface Measure {
  /** What the provider counted, over what was estimated of the same request. */
  scale: number | null;
  /** Compactions that failed since the last one that did not. */
  failures: number;
  /** The size at which it was tried in vain; 0: it was not. */
  vainAt: number;
}

/**
 * How large requests are: as the provider counted the last one, with an estimate of what is different now. What a
 * provider says of its window counts more than what is known of it.
 */
export class ContextMeter {
  readonly #told: number | null;
  readonly #conversations = new Map<string, Measure>();
  readonly #scales = new Map<string, number>();
  readonly #windows = new Map<string, number>();

  constructor(toldWindow: number | null) {
    this.#told = toldWindow;
  }

  of(key: string): Measure {
    const known = this.#conversations.get(key) ?? { scale: null, failures: 0, vainAt: 0 };
    // The one that was used longest ago goes first.
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
    return this.of(key).scale ?? this.#scales.get(model) ?? 1;
  }

  measured(key: string, request: ModelRequest, usage: ModelUsage): void {
    const { inputTokens } = soundUsage(usage);
    // Some servers do not count.
    if (inputTokens === 0) return;
    const before = this.scale(key, request.model);
    const near = clamp(inputTokens / requestTokens(request), before / MOST_CHANGE, before * MOST_CHANGE);
    const scale = clamp(near, SCALES.least, SCALES.most);
    this.of(key).scale = scale;
    this.#scales.set(request.model, scale);
    // It took more than it had said it would.
    if (inputTokens > (this.#windows.get(request.model) ?? Number.POSITIVE_INFINITY))
      this.#windows.delete(request.model);
  }

  window(model: string): number {
    return this.#windows.get(model) ?? this.knownWindow(model);
  }

  /** Without what the provider has said of it. */
  knownWindow(model: string): number {
    return contextWindow(model, this.#told);
  }

  learnWindow(model: string, tokens: number): void {
    if (tokens >= LEAST_WINDOW) this.#windows.set(model, Math.min(tokens, this.window(model)));
  }
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
