import { contextWindow } from "../model/context-window.ts";
import type { ModelRequest, ModelUsage } from "../model/model-provider.ts";
import { requestTokens } from "../model/token-estimate.ts";
import { soundUsage } from "./sound-usage.ts";

const CONVERSATIONS_KEPT = 1000;
/** A provider that counts far less than that has not counted all of it. */
const LEAST_SCALE = 0.25;
/** What one conversation's count says of others: up to that, and by that factor at a time. */
const SHARED = { most: 8, change: 2 };
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
    // It took more than it had said it would.
    if (inputTokens > (this.#windows.get(request.model) ?? Number.POSITIVE_INFINITY))
      this.#windows.delete(request.model);
    // Some servers do not count, and a model cannot have read more than its window.
    if (inputTokens === 0 || inputTokens > this.window(request.model)) return;
    const scale = Math.max(LEAST_SCALE, inputTokens / requestTokens(request));
    this.of(key).scale = scale;
    const shared = this.#scales.get(request.model) ?? 1;
    const near = clamp(scale, shared / SHARED.change, shared * SHARED.change);
    this.#scales.set(request.model, clamp(near, LEAST_SCALE, SHARED.most));
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
