import type { EngineDestroyed, EngineRecord, EventRecord, SetUserSecretRequest } from "./records.ts";
import * as routes from "./orchestrator-routes.ts";
import { checkedUserId } from "./address.ts";
import { knowledgeCalls } from "./knowledge-calls.ts";
import { catalogCalls } from "./catalog-calls.ts";
import { type CallOptions, type Retry, type Service, openStream, withRetries } from "./http-call.ts";
import { OrchdError } from "./orchd-error.ts";
import { type ChangeOptions, type OrchestratorClientOptions, orchestratorCalls } from "./orchestrator-calls.ts";
import { type FollowOptions, type OrchestratorEvent, followEvents, listEvents } from "./orchestrator-stream.ts";
import { type ListOf, type OptionsOf, requestOf } from "./route.ts";
import { productMethods } from "./product-methods.ts";
import { type UsageEntry, type UsageOptions, readUsage } from "./usage-calls.ts";
import { readLines } from "./sse-frames.ts";
import { retryClassOf } from "./retry-rule.ts";
import { notificationCalls } from "./notifications.ts";
import { scheduleCalls, webhookCalls } from "./schedules.ts";
import { LinkedAbort, MAX_TIMER_MS } from "./timeouts.ts";

export interface EventsOptions extends FollowOptions {
  readonly userId?: string | undefined;
}

export type LogsOptions = OptionsOf<typeof routes.engineLogs, "userId">;

/** `start: false` creates the engine without starting it. */
export type ProvisionOptions = ChangeOptions & routes.ProvisionEngineParams;

export type OrchestratorClient = ReturnType<typeof createOrchestratorClient>;

/** A product's calls of the orchestrator, retried as their errors allow. Errors are {@link OrchdError}s. */
export function createOrchestratorClient(options: OrchestratorClientOptions) {
  const calls = orchestratorCalls(options);
  const { service, call, list, change } = calls;
  const { deadlineMs: callDeadlineMs, engineDeadlineMs } = service.limits;
  const eventFeed = (userId: string | undefined) => (page: routes.EventsParams) =>
    userId === undefined ? requestOf(routes.events, page) : requestOf(routes.engineEvents, { ...page, userId });

  return {
    url: service.url,
    ...productMethods(calls),

    /** Creates the user's engine and starts it. `ENGINE_ALREADY_EXISTS` if there is one: see `admit`. */
    provision: async (given: ProvisionOptions) => {
      checkedUserId(given, "provision");
      return change(routes.provisionEngine, given);
    },
    /** The user's engine: created if there is none, started if it is stopped. */
    admit: async (given: ProvisionOptions) => {
      checkedUserId(given, "admit");
      return change(routes.admitEngine, given);
    },

    get: (
      userId: string,
      given: OptionsOf<typeof routes.showEngine, "userId"> = {},
    ): Promise<EngineRecord & { readonly engine_api_key?: string | null }> =>
      call(routes.showEngine, {
        ...given,
        userId,
        ...(given.autoProvision === true && { deadlineMs: engineDeadlineMs }),
      }),
    /** Every engine of the product. Pages are fetched as they are read. */
    list: (given: ListOf<typeof routes.listEngines> = {}) => list(routes.listEngines, given),
    /** `drainS`: how long running turns may continue; `force` does not wait for them. */
    stop: (userId: string, given: ChangeOptions & Omit<routes.StopEngineParams, "userId" | "idempotencyKey"> = {}) =>
      change(routes.stopEngine, {
        ...given,
        userId,
        deadlineMs: given.deadlineMs ?? engineDeadlineMs + (given.drainS ?? 0) * 1000,
      }),

    /** Removes the process, frees the port, and deletes the data unless `keepData`. */
    async destroy(
      userId: string,
      { onRetry, ...given }: ChangeOptions & { readonly keepData?: boolean | undefined } = {},
    ): Promise<EngineDestroyed> {
      let wasLost = false;
      const reportRetry = (retry: Retry) => {
        wasLost ||= retryClassOf(retry.error) === "lost";
        onRetry?.(retry);
      };
      try {
        return await call(routes.destroyEngine, { ...given, userId, onRetry: reportRetry });
      } catch (error) {
        // The attempt whose response was lost has destroyed the engine.
        if (wasLost && error instanceof OrchdError && error.code === "ENGINE_NOT_FOUND") return { destroyed: true };
        throw error;
      }
    },

    /** Waits until the engine is in a state; `BOOT_TIMEOUT` after `timeoutS`. */
    wait: (
      userId: string,
      { state = "running", timeoutS = 60, ...given }: OptionsOf<typeof routes.waitForEngine, "userId"> = {},
    ): Promise<EngineRecord> =>
      call(routes.waitForEngine, { ...given, userId, state, timeoutS, deadlineMs: timeoutS * 1000 + callDeadlineMs }),

    /** The catalog that the product's engines share. */
    catalog: catalogCalls(calls),

    /** The documents that the product's engines search. */
    knowledge: knowledgeCalls(calls),

    /** What the product's users have spent, by user unless grouped otherwise. */
    usage: (given: UsageOptions = {}): AsyncGenerator<UsageEntry> =>
      readUsage((query) => call(routes.listUsage, query), given),

    /** What one user has spent, by day unless grouped otherwise; also after the engine is destroyed. */
    engineUsage: (userId: string, given: Omit<UsageOptions, "userId"> = {}): AsyncGenerator<UsageEntry> =>
      readUsage((query) => call(routes.engineUsage, { ...query, userId }), given),

    /** Messages that are sent to an engine at their times. */
    schedules: scheduleCalls(calls),
    /** Addresses at which other services start turns of an engine. */
    webhooks: webhookCalls(calls),
    notifications: notificationCalls(calls),

    /** Sets a secret of the user, whose value no call returns. */
    setSecret: (userId: string, secretName: string, body: SetUserSecretRequest, given: CallOptions = {}) =>
      call(routes.setUserSecret, { ...given, userId, secretName, body }),

    /** Stored events of the product's engines, or of one user's, the newest first. */
    listEvents: ({
      userId,
      ...call
    }: CallOptions & {
      readonly userId?: string | undefined;
      readonly pageSize?: number;
    } = {}): AsyncGenerator<EventRecord> => listEvents(service, eventFeed(userId), call),

    /** The same events as they happen. A lost stream resumes where it was cut. */
    async *events({ userId, ...follow }: EventsOptions = {}): AsyncGenerator<OrchestratorEvent> {
      yield* followEvents(service, eventFeed(userId), follow);
    },

    /** Lines of an engine's log. A followed log may stay silent without a limit. */
    logs: (userId: string, given: LogsOptions = {}): AsyncGenerator<string> => readLog(service, userId, given),
  };
}

async function* readLog(
  service: Service,
  userId: string,
  { tail, follow, signal }: LogsOptions,
): AsyncGenerator<string> {
  const abort = new LinkedAbort(signal);
  const open = () =>
    openStream(service, {
      ...requestOf(routes.engineLogs, { userId, tail, follow }),
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
}
