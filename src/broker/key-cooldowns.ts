import { createHash } from "node:crypto";
import type { ModelRoute } from "../contract/broker/call-key.ts";
import { NO_CREDIT, retryAfterSeconds } from "../contract/broker/provider-limits.ts";

/** What a provider answers when it limits a key (429) or is overloaded. */
const LIMITED: readonly number[] = [429, 503, 529];
/** However long a provider wants to be left alone, one call tries after this time: its answer may be wrong. */
const LONGEST_MS = 60_000;
/** The longest time that engines are told. Theirs is no longer. */
const LONGEST_TOLD_MS = 600_000;
/** So many such answers in a row are a cooldown, if the provider does not say how long. One may be of one call alone. */
const IN_A_ROW = 3;
const FIRST_MS = 1000;
const LONGEST_BACKOFF_MS = 30_000;
/** The call that tries again has this time until another one does too. Meanwhile others come back after `PROBE_RETRY_MS`. */
const PROBE_MS = 5000;
const PROBE_RETRY_MS = 1000;
/** After this time without a call nobody waits any longer for the end of a cooldown. */
const FORGET_MS = 60_000;
const MAX_KEYS = 1024;
const MAX_MODELS = 64;

interface Entry {
  /** The last answer that limited, and when it came. */
  status: number;
  at: number;
  /** Answers in a row that limited, before the first cooldown. */
  inARow: number;
  /** In a row. */
  cooldowns: number;
  /** The cooldown. Null before the first one. */
  since: number | null;
  until: number;
  /** When the provider wants to be called again. */
  wanted: number;
  /** The call that tries after a cooldown. */
  probe: KeyCall | null;
  probedAt: number;
}

/** A model call that may be sent. */
export interface KeyCall {
  readonly route: ModelRoute;
  /** Null while it is not certain. Such a call is neither refused nor does it lead to a cooldown. */
  readonly model: () => string | null;
  readonly began: number;
}

/** The provider is not to be called: the answer is its own last one. */
export interface KeyRefusal {
  readonly status: number;
  readonly retryAfterMs: number;
}

/** A provider's answer that is no success. */
export interface FailedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/**
 * When providers want to be called again, by their keys and models: what one engine's call has met holds for the calls of
 * all. After a cooldown one call tries, and the others follow when it is answered.
 */
export class KeyCooldowns {
  readonly #keys = new Map<string, Map<string, Entry>>();
  readonly #names = new WeakMap<ModelRoute, string>();
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Whether a call with this key may have to wait, so that its model must be known before it is sent. */
  concerns(route: ModelRoute): boolean {
    const name = this.#nameOf(route);
    const models = this.#keys.get(name);
    if (models === undefined) return false;
    const now = this.#clock();
    for (const [model, { at, until }] of models) if (now > Math.max(at, until) + FORGET_MS) models.delete(model);
    if (models.size === 0) this.#keys.delete(name);
    return [...models.values()].some(({ since }) => since !== null);
  }

  /** The call is to end by `answered` or `failed`, and by `released`. */
  admit(route: ModelRoute, model: KeyCall["model"]): KeyCall | KeyRefusal {
    const now = this.#clock();
    const call: KeyCall = { route, model, began: now };
    const entry = this.#find(call);
    if (entry === null || entry.since === null) return call;
    const { status, until, wanted, probe, probedAt } = entry;
    if (now < until) return { status, retryAfterMs: Math.max(until, wanted) - now };
    if (probe !== null && now - probedAt < PROBE_MS)
      return { status, retryAfterMs: Math.max(wanted - now, PROBE_RETRY_MS) };
    entry.probe = call;
    entry.probedAt = now;
    return call;
  }

  answered(call: KeyCall): void {
    const entry = this.#find(call);
    const model = call.model();
    // A call from before the cooldown says nothing about its end.
    if (model === null || entry === null || call.began <= (entry.since ?? -Infinity)) return;
    this.#keys.get(this.#nameOf(call.route))?.delete(model);
  }

  /** `now`: the time of day. */
  failed(call: KeyCall, { status, headers, body }: FailedAnswer, now: number): void {
    if (!LIMITED.includes(status) || NO_CREDIT.test(body)) {
      // A call that it finds bad is one that it reads.
      if (status < 500) this.answered(call);
      return;
    }
    const model = call.model();
    if (model === null) return;
    const askedMs = (retryAfterSeconds({ headers, body, now }) ?? 0) * 1000;
    this.#limited(this.#entry(call.route, model), call, { status, askedMs });
  }

  /** The call has ended, however. If the provider has told nothing, the next one may try. */
  released(call: KeyCall): void {
    const entry = this.#find(call);
    if (entry?.probe === call) entry.probe = null;
  }

  #limited(
    entry: Entry,
    { began }: KeyCall,
    { status, askedMs }: { readonly status: number; readonly askedMs: number },
  ): void {
    const now = this.#clock();
    Object.assign(entry, { status, at: now });
    // Calls that were sent before a cooldown are no further failures.
    const isLate = entry.since !== null && began <= entry.since;
    if (askedMs === 0 && (isLate || (entry.since === null && ++entry.inARow < IN_A_ROW))) return;
    const ms = askedMs > 0 ? askedMs : Math.min(FIRST_MS * 2 ** entry.cooldowns, LONGEST_BACKOFF_MS);
    entry.until = Math.max(entry.until, now + Math.min(ms, LONGEST_MS));
    entry.wanted = Math.max(entry.wanted, now + Math.min(ms, LONGEST_TOLD_MS));
    if (isLate) return;
    entry.cooldowns++;
    Object.assign(entry, { since: now, probe: null });
  }

  #entry(route: ModelRoute, model: string): Entry {
    const name = this.#nameOf(route);
    const models = bounded(this.#keys, name, { max: MAX_KEYS, make: () => new Map<string, Entry>() });
    return bounded(models, model, { max: MAX_MODELS, make: newEntry });
  }

  #find({ route, model: modelOf }: KeyCall): Entry | null {
    const model = modelOf();
    return model === null ? null : (this.#keys.get(this.#nameOf(route))?.get(model) ?? null);
  }

  #nameOf(route: ModelRoute): string {
    const known = this.#names.get(route);
    if (known !== undefined) return known;
    const { provider, apiKey, baseUrl, region } = route;
    const name = createHash("sha256")
      .update(JSON.stringify([provider, apiKey, baseUrl, region]))
      .digest("base64url");
    this.#names.set(route, name);
    return name;
  }
}

const newEntry = (): Entry => ({
  status: 0,
  at: 0,
  inARow: 0,
  cooldowns: 0,
  since: null,
  until: 0,
  wanted: 0,
  probe: null,
  probedAt: 0,
});

/** The value of a key, made when there is none. The oldest one goes for it. */
function bounded<Value>(
  map: Map<string, Value>,
  key: string,
  { max, make }: { readonly max: number; readonly make: () => Value },
): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const oldest = map.size < max ? undefined : map.keys().next().value;
  if (oldest !== undefined) map.delete(oldest);
  const made = make();
  map.set(key, made);
  return made;
}
