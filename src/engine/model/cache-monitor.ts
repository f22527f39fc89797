import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Clock } from "../../shared/clock.ts";
import type { ModelProvider, ModelRequest, ModelUsage } from "./model-provider.ts";

/** The usual lifetime of a prompt cache. */
const CACHE_TTL_MS = 300_000;
/** The smallest prompt that every model caches. */
const MIN_TOKENS = 4096;
/** Share of the previous request that must be cached for a hit. */
const HIT_SHARE = 0.5;
const MAX_CALLS = 100;

interface Call {
  readonly model: string;
  readonly system: string;
  readonly tools: string;
  readonly messages: readonly string[];
  readonly inputTokens: number;
  readonly atMs: number;
}

/** Cache outcome of a call that continues an earlier one. */
type CacheVerdict =
  | { readonly kind: "nothing_expected" }
  | { readonly kind: "hit" }
  | {
      readonly kind: "missed";
      readonly why: "system_changed" | "tools_changed" | "history_changed" | "cache_expired" | "not_cached";
      readonly expectedTokens: number;
      readonly hitTokens: number;
    };

/** Compares each call with the hashes of earlier ones to find avoidable cache misses. */
export class CacheMonitor {
  readonly #clock: Clock;
  #calls: readonly Call[] = [];

  constructor(clock: Clock = Date.now) {
    this.#clock = clock;
  }

  check(request: ModelRequest, usage: ModelUsage): CacheVerdict {
    const call = callOf(request, usage, this.#clock());
    const before = this.#continuedCall(call);
    this.#calls = [...this.#calls.filter((one) => one !== before), call].slice(-MAX_CALLS);
    if (before === undefined || before.inputTokens < MIN_TOKENS) return { kind: "nothing_expected" };
    const expectedTokens = before.inputTokens;
    if (usage.cacheHitTokens >= expectedTokens * HIT_SHARE) return { kind: "hit" };
    return { kind: "missed", why: whyMissed(before, call), expectedTokens, hitTokens: usage.cacheHitTokens };
  }

  /** The call that this one continues: the same first message and the longest shared prefix. */
  #continuedCall(call: Call): Call | undefined {
    let best: Call | undefined;
    for (const one of this.#calls) {
      if (one.model !== call.model || one.messages[0] !== call.messages[0]) continue;
      if (best === undefined || sharedMessages(one, call) >= sharedMessages(best, call)) best = one;
    }
    return best;
  }
}

function whyMissed(before: Call, call: Call): Extract<CacheVerdict, { kind: "missed" }>["why"] {
  if (before.tools !== call.tools) return "tools_changed";
  if (before.system !== call.system) return "system_changed";
  if (sharedMessages(before, call) < before.messages.length) return "history_changed";
  return call.atMs - before.atMs > CACHE_TTL_MS ? "cache_expired" : "not_cached";
}

function sharedMessages({ messages: earlier }: Call, { messages: later }: Call): number {
  const differs = earlier.findIndex((hash, index) => hash !== later[index]);
  return differs === -1 ? earlier.length : differs;
}

const callOf = (request: ModelRequest, { inputTokens }: ModelUsage, atMs: number): Call => ({
  model: request.model,
  system: hash(request.system),
  tools: hash(request.tools),
  messages: request.messages.map(hash),
  inputTokens,
  atMs,
});

const hash = (value: unknown): string => sha256(JSON.stringify(value)).slice(0, 12);

/** A provider that logs cache misses. */
export function monitoredProvider(inner: ModelProvider, logger: Logger): ModelProvider {
  const monitor = new CacheMonitor();
  return {
    name: inner.name,
    async *stream(request, signal) {
      for await (const part of inner.stream(request, signal)) {
        if (part.kind === "done" && request.purpose === undefined) {
          const verdict = monitor.check(request, part.usage);
          const about = { provider: inner.name, model: request.model, input_tokens: part.usage.inputTokens };
          if (verdict.kind === "missed") {
            const { why, expectedTokens: expected, hitTokens: hit } = verdict;
            logger.warn({ ...about, why, expected_tokens: expected, hit_tokens: hit }, "missed the prompt cache");
          } else {
            logger.debug({ ...about, cache: verdict.kind }, "checked prompt cache");
          }
        }
        yield part;
      }
    },
  };
}
