import type { EventRecord } from "../contract/orchestrator-events.ts";
import { type EngineRecord, type EngineState, type Page, type StopResult } from "../contract/orchestrator-records.ts";
import { checkedUserId, queryOf } from "./address.ts";
import { catalogCalls } from "./catalog-calls.ts";
import { type CallOptions, type Retry, callJson, openStream, withRetries } from "./http-call.ts";
import { OrchdError } from "./orchd-error.ts";
import { type ChangeOptions, type OrchestratorClientOptions, orchestratorCalls } from "./orchestrator-calls.ts";
import { type FollowOptions, type OrchestratorEvent, followEvents, listEvents } from "./orchestrator-stream.ts";
import { type UsageEntry, type UsageOptions, readUsage } from "./usage-calls.ts";
import { readPages } from "./pages.ts";
import { readLines } from "./sse-frames.ts";
import { retryClassOf } from "./retry-rule.ts";
import { scheduleCalls, webhookCalls } from "./schedules.ts";
import { LinkedAbort, MAX_TIMER_MS } from "./timeouts.ts";

export interface EventsOptions extends FollowOptions {
  readonly userId?: string | undefined;
}

export interface LogsOptions extends CallOptions {
  /** How many of the last lines. */
  readonly tail?: number | undefined;
  /** Whether new lines follow, without an end. */
  readonly follow?: boolean | undefined;
}

export interface ProvisionOptions extends ChangeOptions {
  readonly userId: string;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** `false` creates the engine without starting it. */
  readonly start?: boolean | undefined;
  /** Generated if left out. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * An engine with its key, which is returned once. It is null where it was returned before: by `admit` of an existing
 * engine, and after a retry whose first response was lost. `rotateKey` creates a new key.
 */
export type EngineWithKey = EngineRecord & { readonly engine_api_key: string | null };

export type OrchestratorClient = ReturnType<typeof createOrchestratorClient>;

/** A product's calls of the orchestrator, retried as their errors allow. Errors are {@link OrchdError}s. */
export function createOrchestratorClient(options: OrchestratorClientOptions) {
  const calls = orchestratorCalls(options);
  const { service, get, change, engine } = calls;
  const { deadlineMs: callDeadlineMs, engineDeadlineMs } = service.limits;
  const createEngine = async (method: "provision" | "admit", given: ProvisionOptions) => {
    const user_id = checkedUserId(given, method);
    const { userId: _, metadata, start, ...call } = given;
    return change<EngineWithKey>(`/engines/${method}`, { user_id, metadata, start }, call);
  };
  const eventFeed = (userId: string | undefined, method: string) => ({
    path: userId === undefined ? "/events" : `${engine(userId, `${method}({ userId: "alice" })`)}/events`,
  });

  return {
    url: service.url,

    /** Creates the user's engine and starts it. `ENGINE_ALREADY_EXISTS` if there is one: see `admit`. */
    provision: (given: ProvisionOptions) => createEngine("provision", given),
    /** The user's engine: created if there is none, started if it is stopped. */
    admit: (given: ProvisionOptions) => createEngine("admit", given),

    get: async (userId: string, { autoProvision, signal }: CallOptions & { readonly autoProvision?: boolean } = {}) =>
      get<EngineRecord & { readonly engine_api_key?: string | null }>(
        engine(userId, 'get("alice")') + queryOf({ auto_provision: autoProvision }),
        { signal, ...(autoProvision === true && { deadlineMs: engineDeadlineMs }) },
      ),

    /** Every engine of the product. Pages are fetched as they are read. */
    list: ({
      state,
      pageSize = 200,
      signal,
    }: CallOptions & {
      readonly state?: EngineState | undefined;
      readonly pageSize?: number;
    } = {}): AsyncGenerator<EngineRecord> =>
      readPages((cursor) =>
        get<Page<EngineRecord>>(`/engines${queryOf({ limit: pageSize, state, cursor })}`, { signal }),
      ),

    start: async (userId: string, call?: ChangeOptions) =>
      change<EngineRecord>(`${engine(userId, 'start("alice")')}/start`, {}, call),

    /** Puts an engine without work to sleep; `ENGINE_BUSY` otherwise. Its next call wakes it, and so does `start`. */
    sleep: async (userId: string, call?: ChangeOptions) =>
      change<EngineRecord>(`${engine(userId, 'sleep("alice")')}/sleep`, {}, call),

    /** `drainS`: how long running turns may continue; `force` does not wait for them. */
    stop: async (
      userId: string,
      {
        drainS,
        force,
        deadlineMs = engineDeadlineMs + (drainS ?? 0) * 1000,
        ...call
      }: ChangeOptions & { readonly drainS?: number | undefined; readonly force?: boolean | undefined } = {},
    ) =>
      change<EngineRecord & { readonly stop_result: StopResult }>(
        `${engine(userId, 'stop("alice")')}/stop`,
        { drain_s: drainS, force },
        { deadlineMs, ...call },
      ),

    /** `graceS`: how long the old key stays valid. Not retried after a lost response: each try creates another key. */
    rotateKey: async (userId: string, { graceS, ...call }: ChangeOptions & { readonly graceS?: number } = {}) =>
      change<EngineWithKey & { readonly previous_key_expires_at: string }>(
        `${engine(userId, 'rotateKey("alice")')}/rotate-key`,
        { grace_s: graceS },
        { ...call, repeatable: false },
      ),

    /** Removes the process, frees the port, and deletes the data unless `keepData`. */
    async destroy(
      userId: string,
      {
        keepData,
        signal,
        deadlineMs = engineDeadlineMs,
        onRetry,
      }: ChangeOptions & { readonly keepData?: boolean } = {},
    ): Promise<{ readonly destroyed: true }> {
      let wasLost = false;
      const reportRetry = (retry: Retry) => {
        wasLost ||= retryClassOf(retry.error) === "lost";
        onRetry?.(retry);
      };
      const path = engine(userId, 'destroy("alice")') + queryOf({ keep_data: keepData });
      try {
        return await callJson(service, { method: "DELETE", path, signal, deadlineMs }, { onRetry: reportRetry });
      } catch (error) {
        // The attempt whose response was lost has destroyed the engine.
        if (wasLost && error instanceof OrchdError && error.code === "ENGINE_NOT_FOUND") return { destroyed: true };
        throw error;
      }
    },

    /** Waits until the engine is in a state; `BOOT_TIMEOUT` after `timeoutS`. */
    wait: async (
      userId: string,
      {
        state = "running",
        timeoutS = 60,
        signal,
      }: CallOptions & { readonly state?: EngineState; readonly timeoutS?: number } = {},
    ) =>
      get<EngineRecord>(`${engine(userId, 'wait("alice")')}/wait${queryOf({ state, timeout_s: timeoutS })}`, {
        signal,
        deadlineMs: timeoutS * 1000 + callDeadlineMs,
      }),

    /** The catalog that the product's engines share. */
    catalog: catalogCalls(calls),

    /** What the product's users have spent, by user unless grouped otherwise. */
    usage: (given: UsageOptions = {}): AsyncGenerator<UsageEntry> => readUsage(get, "/usage", given),

    /** What one user has spent, by day unless grouped otherwise; also after the engine is destroyed. */
    async *engineUsage(userId: string, given: Omit<UsageOptions, "userId"> = {}): AsyncGenerator<UsageEntry> {
      yield* readUsage(get, `${engine(userId, 'engineUsage("alice")')}/usage`, given);
    },

    /** Messages that are sent to an engine at their times. */
    schedules: scheduleCalls(calls),
    /** Addresses at which other services start turns of an engine. */
    webhooks: webhookCalls(calls),

    /** Stored events of the product's engines, or of one user's, the newest first. */
    listEvents: ({
      userId,
      ...call
    }: CallOptions & {
      readonly userId?: string | undefined;
      readonly pageSize?: number;
    } = {}): AsyncGenerator<EventRecord> => listEvents(service, eventFeed(userId, "listEvents"), call),

    /** The same events as they happen. A lost stream resumes where it was cut. */
    async *events({ userId, ...follow }: EventsOptions = {}): AsyncGenerator<OrchestratorEvent> {
      yield* followEvents(service, eventFeed(userId, "events"), follow);
    },

    /** Lines of an engine's log. A followed log may stay silent without a limit. */
    async *logs(userId: string, { tail, follow, signal }: LogsOptions = {}): AsyncGenerator<string> {
      const path = `${engine(userId, 'logs("alice")')}/logs${queryOf({ tail, follow })}`;
      const abort = new LinkedAbort(signal);
      const open = () =>
        openStream(service, {
          method: "GET",
          path,
          signal: abort.signal,
          type: "text/plain",
          ...(follow === true && { silenceMs: MAX_TIMER_MS }),
        });
      try {
        const { chunks } = await withRetries(service, { signal: abort.signal }, open);
        yield* readLines(chunks);
      } finally {
        abort.dispose();
      }
    },
  };
}
