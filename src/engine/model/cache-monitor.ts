import { createHash } from "node:crypto";
import type { Logger } from "../../shared/logger.ts";
import type { Clock } from "../../shared/clock.ts";
import type { ModelProvider, ModelRequest, ModelUsage } from "./model-provider.ts";

/** What providers keep a prompt for, as a rule, and the least they keep: some models need so much. */
const KEPT_MS = 300_000;
const LEAST_TOKENS = 4096;
/** Of what had been sent before: a hit is never quite all of it. */
const SHARE = 0.5;
const CALLS_KEPT = 100;

interface Call {
  readonly model: string;
  readonly system: string;
  readonly tools: string;
  readonly messages: readonly string[];
  readonly inputTokens: number;
  readonly atMs: number;
}

/** What became of the cache in a call that goes on with an earlier one. */
export type CacheVerdict =
  | { readonly kind: "nothing_expected" }
  | { readonly kind: "hit" }
  | {
      readonly kind: "missed";
      readonly why:
        | "system_changed"
        | "tools_changed"
        | "history_changed"
        | "kept_too_long_ago"
        | "provider_did_not_keep_it";
      readonly expectedTokens: number;
      readonly hitTokens: number;
    };

/** Remembers what was sent, by hash, and tells of each call whether the provider's cache did for it what it could. */
export class CacheMonitor {
  readonly #clock: Clock;
  #calls: readonly Call[] = [];

  constructor(clock: Clock = Date.now) {
    this.#clock = clock;
  }

  judge(request: ModelRequest, usage: ModelUsage): CacheVerdict {
    const call = callOf(request, usage, this.#clock());
    const before = this.#before(call);
    this.#calls = [...this.#calls.filter((one) => one !== before), call].slice(-CALLS_KEPT);
    if (before === undefined || before.inputTokens < LEAST_TOKENS) return { kind: "nothing_expected" };
    const expectedTokens = before.inputTokens;
    if (usage.cacheHitTokens >= expectedTokens * SHARE) return { kind: "hit" };
    return { kind: "missed", why: whyMissed(before, call), expectedTokens, hitTokens: usage.cacheHitTokens };
  }

  /** The call that this one goes on with: of those that began with the same message, the one it shares the most with. */
  #before(call: Call): Call | undefined {
    let best: Call | undefined;
    for (const one of this.#calls) {
      if (one.model !== call.model || one.messages[0] !== call.messages[0]) continue;
      if (best === undefined || shared(one, call) >= shared(best, call)) best = one;
    }
    return best;
  }
}

function whyMissed(before: Call, call: Call): Extract<CacheVerdict, { kind: "missed" }>["why"] {
  if (before.tools !== call.tools) return "tools_changed";
  if (before.system !== call.system) return "system_changed";
  if (shared(before, call) < before.messages.length) return "history_changed";
  return call.atMs - before.atMs > KEPT_MS ? "kept_too_long_ago" : "provider_did_not_keep_it";
}

function shared({ messages: earlier }: Call, { messages: later }: Call): number {
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

const hash = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64").slice(0, 12);

/** A provider whose missed caches are told in the log. */
export function monitoredProvider(inner: ModelProvider, logger: Logger): ModelProvider {
  const monitor = new CacheMonitor();
  return {
    name: inner.name,
    async *stream(request, signal) {
      for await (const part of inner.stream(request, signal)) {
        if (part.kind === "done" && request.purpose === undefined) {
          const verdict = monitor.judge(request, part.usage);
          const about = { provider: inner.name, model: request.model, input_tokens: part.usage.inputTokens };
          if (verdict.kind === "missed") {
            const { why, expectedTokens: expected, hitTokens: hit } = verdict;
            logger.warn({ ...about, why, expected_tokens: expected, hit_tokens: hit }, "the cache did not hit");
          } else {
            logger.debug({ ...about, cache: verdict.kind }, "cache looked after");
          }
        }
        yield part;
      }
    },
  };
}
