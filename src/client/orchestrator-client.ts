import type { EventRecord } from "../contract/orchestrator-events.ts";
import {
  type EngineRecord,
  type EngineState,
  type Page,
  PLATFORM_KEY_HEADER,
  type StopResult,
} from "../contract/orchestrator-records.ts";
import { baseAddress, checkedUserId, headerValue, newIdempotencyKey, pathSegment, queryOf } from "./address.ts";
import type { CallOptions } from "./engine-client.ts";
import { type Retry, type RetryOptions, type Service, type Wish, ask } from "./http-call.ts";
import { type ClientLimits, DEFAULT_LIMITS } from "./limits.ts";
import { OrchdError } from "./orchd-error.ts";
import { sortOf } from "./retry-rule.ts";
import { NOTHING_SEEN, type OrchestratorEvent, followOrchestrator } from "./orchestrator-stream.ts";
import { LinkedAbort } from "./waiting.ts";

/** For calls that wait for an engine to come up or to end: longer than the daemon itself waits. */
const ENGINE_DEADLINE_MS = 10 * 60_000;
/** Five minutes in all: long enough for an upgrade of the daemon. */
const RECONNECT_MS = [...DEFAULT_LIMITS.reconnectMs, ...Array<number>(30).fill(8000)];

export interface OrchestratorClientOptions {
  readonly url: string;
  /** As `products register` answered with it. */
  readonly platformKey: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly limits?: Partial<ClientLimits>;
}

interface ChangeOptions extends CallOptions {
  /** Told of each try that failed and each connection that was lost, before the next one is waited for. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  readonly deadlineMs?: number | undefined;
}

export interface EventsOptions extends Pick<ChangeOptions, "signal" | "onRetry"> {
  readonly userId?: string | undefined;
  readonly after?: string | undefined;
}

export interface ProvisionOptions extends ChangeOptions {
  readonly userId: string;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** `false` only makes it. */
  readonly start?: boolean | undefined;
  /** Made when left out. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * An engine with its key, which is told once. Null where it was told before: by `admit` of an engine that was there,
 * and where the first answer was lost on its way. `rotateKey` makes a new one.
 */
export type EngineWithKey = EngineRecord & { readonly engine_api_key: string | null };

export type OrchestratorClient = ReturnType<typeof createOrchestratorClient>;

/** A product's calls of orchd. They are tried again as the interface guides; errors are {@link OrchdError}s. */
export function createOrchestratorClient(options: OrchestratorClientOptions) {
  const service: Service = {
    url: baseAddress(options.url),
    headers: { [PLATFORM_KEY_HEADER]: headerValue("platformKey", options.platformKey) },
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    limits: { ...DEFAULT_LIMITS, reconnectMs: RECONNECT_MS, ...options.limits },
  };
  const get = <T>(path: string, { signal, deadlineMs }: Pick<Wish, "signal" | "deadlineMs"> = {}) =>
    ask<T>(service, { method: "GET", path, signal, deadlineMs });
  /** One thing to be done, once, however often its answer is lost. */
  const change = <T>(
    path: string,
    body: object,
    {
      signal,
      deadlineMs = ENGINE_DEADLINE_MS,
      idempotencyKey,
      ...retry
    }: ChangeOptions & RetryOptions & { readonly idempotencyKey?: string | undefined } = {},
  ) => {
    const key = headerValue("idempotencyKey", idempotencyKey ?? newIdempotencyKey());
    return ask<T>(
      service,
      { method: "POST", path, body, headers: { "Idempotency-Key": key }, signal, deadlineMs },
      retry,
    );
  };
  const bring = async (path: string, wish: ProvisionOptions) => {
    const user_id = checkedUserId(wish);
    const { userId: _, metadata, start, ...how } = wish;
    return change<EngineWithKey>(path, { user_id, metadata, start }, how);
  };
  const engine = (userId: string): string => `/engines/${pathSegment(userId)}`;

  return {
    url: service.url,

    /** Makes the user's engine, and starts it. `ENGINE_ALREADY_EXISTS` if there is one: see `admit`. */
    provision: (wish: ProvisionOptions) => bring("/engines/provision", wish),
    /** The user's engine: made if there is none, started if it is stopped. */
    admit: (wish: ProvisionOptions) => bring("/engines/admit", wish),

    get: async (userId: string, { autoProvision, signal }: CallOptions & { readonly autoProvision?: boolean } = {}) =>
      get<EngineRecord & { readonly engine_api_key?: string | null }>(
        engine(userId) + queryOf({ auto_provision: autoProvision }),
        { signal, ...(autoProvision === true && { deadlineMs: ENGINE_DEADLINE_MS }) },
      ),

    /** Every engine of the product; pages are asked for as they are read. */
    async *list({
      state,
      pageSize = 200,
      signal,
    }: CallOptions & { readonly state?: EngineState; readonly pageSize?: number } = {}): AsyncGenerator<EngineRecord> {
      let cursor: string | null = null;
      do {
        const page: Page<EngineRecord> = await get(`/engines${queryOf({ state, limit: pageSize, cursor })}`, {
          signal,
        });
        yield* page.data;
        cursor = page.next_cursor;
      } while (cursor !== null);
    },

    start: async (userId: string, how?: ChangeOptions) => change<EngineRecord>(`${engine(userId)}/start`, {}, how),

    /** `drainS`: how long running turns may go on; `force` does not wait for them. */
    stop: async (
      userId: string,
      { drainS, force, ...how }: ChangeOptions & { readonly drainS?: number; readonly force?: boolean } = {},
    ) =>
      change<EngineRecord & { readonly stop_result: StopResult }>(
        `${engine(userId)}/stop`,
        { drain_s: drainS, force },
        how,
      ),

    /** Not repeated by itself when its answer is lost: each try makes another key. `graceS`: how long the old one is good. */
    rotateKey: async (userId: string, { graceS, ...how }: ChangeOptions & { readonly graceS?: number } = {}) =>
      change<EngineWithKey & { readonly previous_key_expires_at: string }>(
        `${engine(userId)}/rotate-key`,
        { grace_s: graceS },
        { ...how, repeatable: false },
      ),

    /** Process gone, port free, and the data too unless `keepData`. */
    async destroy(
      userId: string,
      {
        keepData,
        signal,
        deadlineMs = ENGINE_DEADLINE_MS,
        onRetry,
      }: ChangeOptions & { readonly keepData?: boolean } = {},
    ): Promise<{ readonly destroyed: true }> {
      let wasLost = false;
      const note = (retry: Retry) => {
        wasLost ||= sortOf(retry.error) === "lost";
        onRetry?.(retry);
      };
      const path = engine(userId) + queryOf({ keep_data: keepData });
      try {
        return await ask(service, { method: "DELETE", path, signal, deadlineMs }, { onRetry: note });
      } catch (error) {
        // The try whose answer was lost has done it.
        if (wasLost && error instanceof OrchdError && error.code === "ENGINE_NOT_FOUND") return { destroyed: true };
        throw error;
      }
    },

    /** Waits until the engine is in a state; `BOOT_TIMEOUT` when it is not in time. */
    wait: async (
      userId: string,
      {
        state = "running",
        timeoutS = 60,
        signal,
      }: CallOptions & { readonly state?: EngineState; readonly timeoutS?: number } = {},
    ) =>
      get<EngineRecord>(`${engine(userId)}/wait${queryOf({ state, timeout_s: timeoutS })}`, {
        signal,
        deadlineMs: timeoutS * 1000 + service.limits.deadlineMs,
      }),

    /**
     * What happens to the product's engines, or to one user's, as it happens: from now on, or behind the event `after`;
     * `"start"` is all that is kept. A connection that is lost is taken up again where it was cut.
     */
    async *events({ userId, after, signal, onRetry }: EventsOptions = {}): AsyncGenerator<OrchestratorEvent> {
      const leash = new LinkedAbort(signal);
      try {
        const path = userId === undefined ? "/events" : `${engine(userId)}/events`;
        const newest = async () =>
          (await get<Page<EventRecord>>(`${path}?limit=1`, { signal: leash.signal })).data[0]?.id ?? NOTHING_SEEN;
        const from = after === "start" ? NOTHING_SEEN : (after ?? (await newest()));
        yield* followOrchestrator(service, { path, after: from, signal: leash.signal, onRetry });
      } finally {
        leash.dispose();
      }
    },
  };
}
