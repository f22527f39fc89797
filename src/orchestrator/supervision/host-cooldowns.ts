import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import { COOLDOWN_LIMITS, type ModelCooldown } from "../../contract/engine/models.ts";
import { type ProviderName, readModelName } from "../../contract/settings/model-name.ts";
import type { Upstream } from "../../contract/settings/upstreams.ts";

/** When many engines fail together, each of them reports another end. A little later is no news for all others. */
const LEAST_CHANGE_MS = 5000;

interface Entry {
  readonly reason: ModelCooldown["reason"];
  /** On the monotonic clock. */
  readonly until: number;
}

/** A cooldown for one engine, with when it ends. */
interface KnownCooldown extends ModelCooldown {
  readonly until: number;
}

type Providers = ReadonlyMap<ProviderName, Upstream>;

/**
 * The models that fail for engines of this host. Engines share what they observe when they call the same address with the
 * same key: an engine that misleads others could as well use up their rate limit.
 */
export class HostCooldowns {
  /** By provider, address and key, then by model. */
  readonly #endpoints = new Map<string, Map<string, Entry>>();
  readonly #clock: () => number;
  readonly #listeners: (() => void)[] = [];

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Adds what an engine with these providers reports. The first one is its `LLM_PROVIDER`. */
  add(providers: Providers, reported: readonly ModelCooldown[]): void {
    const [own] = providers.keys();
    const changes = reported.filter(({ model: name, reason, for_ms: forMs }) => {
      const { provider, model } = readModelName(name, own ?? "sandbox");
      const upstream = providers.get(provider);
      return (
        upstream !== undefined &&
        this.#prolong(endpointOf(provider, upstream), model, { reason, until: this.#clock() + forMs })
      );
    });
    if (changes.length > 0) for (const listener of this.#listeners) listener();
  }

  /** What an engine with these providers is to be told. */
  of(providers: Providers): readonly KnownCooldown[] {
    if (this.#endpoints.size === 0) return [];
    const now = this.#clock();
    return [...providers].flatMap(([provider, upstream]) =>
      this.#current(endpointOf(provider, upstream)).map(([model, { reason, until }]) => ({
        model: `${provider}:${model}`,
        reason,
        for_ms: Math.ceil(until - now),
        until,
      })),
    );
  }

  #prolong(endpoint: string, model: string, entry: Entry): boolean {
    const models = new Map(this.#current(endpoint));
    const known = models.get(model);
    if (known !== undefined && entry.until - known.until < LEAST_CHANGE_MS) return false;
    models.delete(model);
    models.set(model, entry);
    const oldest = models.keys().next();
    if (models.size > COOLDOWN_LIMITS.models && !oldest.done) models.delete(oldest.value);
    this.#endpoints.set(endpoint, models);
    return true;
  }

  /** Without those that have ended. */
  #current(endpoint: string): readonly (readonly [string, Entry])[] {
    const now = this.#clock();
    const current = [...(this.#endpoints.get(endpoint) ?? [])].filter(([, { until }]) => until > now);
    if (current.length === 0) this.#endpoints.delete(endpoint);
    return current;
  }
}

/** A hash, so that the key is not held once more. */
const endpointOf = (provider: ProviderName, { apiKey, baseUrl, region }: Upstream): string =>
  sha256(JSON.stringify([provider, apiKey ?? "", baseUrl ?? "", region ?? ""]));
