import {
  type CatalogReloaded,
  type CatalogShown,
  type CoreSoulReloaded,
  ENGINE_KEY_HEADER,
  type EngineHealth,
  type KnowledgeHit,
  type PendingRequest,
  type ServerAsset,
} from "../contract/engine-records.ts";
import type { MessageContent } from "../contract/attachment-records.ts";
import { checkedField, headerValue, newIdempotencyKey, queryOf } from "./address.ts";
import { memoryCalls } from "./engine-memory.ts";
import { turnCalls } from "./engine-turns.ts";
import { type StreamPosition, executeTurn, followEvents } from "./engine-stream.ts";
import {
  type CallOptions,
  type ConnectionOptions,
  type RequestParams,
  type Retry,
  type RetryOptions,
  callJson,
  serviceOf,
} from "./http-call.ts";
import { HumanResponder, type OnHuman } from "./human-responder.ts";
import { type BySession, sessionHeaders } from "./console-client.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { retryTurn } from "./retry-turn.ts";
import { LinkedAbort } from "./timeouts.ts";
import { Turn, type TurnReading } from "./turn.ts";
import { type TurnEvent, toEvent } from "./turn-event.ts";

/** `url` is the `url` of the engine's record; with a session, the daemon's with `/e/<engine id>`. */
export type EngineClientOptions = Omit<ConnectionOptions, "exactPaths"> &
  (
    | {
        /** The engine's key, as `provision` returned it. */
        readonly key: string;
      }
    | BySession
  );

export type { CallOptions } from "./http-call.ts";

interface ReadOptions extends CallOptions {
  /** Answers the agent's questions. Without it they stay open for `respond` or another client. */
  readonly onHuman?: OnHuman | undefined;
  /** Called for each failed try and each lost connection, before the wait. */
  readonly onRetry?: OnRetry;
}

type OnRetry = ((retry: Retry) => void) | undefined;

export interface ExecuteOptions extends ReadOptions {
  /** Text, or parts: texts, images and files. `attachment` makes a part of bytes. */
  readonly message: MessageContent;
  /** The conversation. The next turn with the same ID continues it. */
  readonly taskId: string;
  readonly agent?: string | undefined;
  readonly thinking?: boolean | undefined;
  readonly maxSteps?: number | undefined;
  readonly onDisconnect?: "continue" | "cancel" | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Generated if left out. Your own one lets a restarted program resume the turn it started. */
  readonly idempotencyKey?: string | undefined;
}

export interface ResumeOptions extends ReadOptions {
  readonly taskId: string;
  readonly turnId: string;
  /** The `seq` of the last event read; the turn's first event follows if left out. */
  readonly after?: number | undefined;
}

export interface ReplayOptions extends CallOptions {
  /** A `seq` or a time, both exclusive; all stored events if left out. */
  readonly after?: string | number | undefined;
  readonly taskId?: string | undefined;
  readonly turnId?: string | undefined;
}

export interface AllowToolsOptions extends CallOptions {
  readonly server: string;
  /** The server's name for it. Needs `definition`. */
  readonly tool?: string | undefined;
  readonly definition?: string | undefined;
}

export interface TypedReplayPage {
  readonly events: readonly TurnEvent[];
  readonly next_after: string | null;
  readonly truncated: boolean;
  readonly oldest_ts: string | null;
}

export type EngineClient = ReturnType<typeof createEngineClient>;

/** Calls of one engine, retried as their errors allow. Errors are {@link OrchdError}s. */
export function createEngineClient(options: EngineClientOptions) {
  const headers = "session" in options ? sessionHeaders() : { [ENGINE_KEY_HEADER]: headerValue("key", options.key) };
  const service = serviceOf(options, headers, DEFAULT_LIMITS);
  const { limits } = service;
  const get = <T>(path: string, { signal }: CallOptions = {}) => callJson<T>(service, { method: "GET", path, signal });
  const post = <T>(path: string, request: Pick<RequestParams, "body" | "signal">, retry?: RetryOptions) =>
    callJson<T>(service, { method: "POST", path, ...request }, retry);

  const cancel = async (taskId: string, { signal }: CallOptions = {}): Promise<boolean> =>
    (await post<{ cancelled: boolean }>("/execute/cancel", { body: { task_id: taskId }, signal })).cancelled;
  const pending = async (call: CallOptions = {}): Promise<readonly PendingRequest[]> =>
    (await get<{ requests: readonly PendingRequest[] }>("/hitl/pending", call)).requests;
  const respond = async (requestId: string, answer: string, { signal }: CallOptions = {}): Promise<void> => {
    await post("/hitl/respond", { body: { request_id: requestId, answer }, signal });
  };

  const reading = (
    position: Readonly<StreamPosition>,
    { signal, onHuman }: ReadOptions,
    events: (signal: AbortSignal) => AsyncIterable<TurnEvent>,
  ): TurnReading => {
    const abort = new LinkedAbort(signal);
    const humans = new HumanResponder({
      onHuman,
      pending: () => pending({ signal: abort.signal }),
      respond: (requestId, answer) => respond(requestId, answer, { signal: abort.signal }),
      fail: (error) => abort.abort(error),
    });
    return { events: events(abort.signal), humans, isReplayed: () => position.replayed, close: () => abort.dispose() };
  };

  return {
    url: service.url,

    /** Runs a turn. The message is delivered once, even if the connection is lost. */
    execute(options: ExecuteOptions): Turn {
      checkedField(options, "taskId", 'execute({ taskId: "t1", message: "Hello" })');
      const { message, taskId, onRetry, idempotencyKey = newIdempotencyKey() } = options;
      const { agent, thinking, maxSteps: max_steps, onDisconnect: on_disconnect, metadata } = options;
      const body = { message, task_id: taskId, agent, thinking, max_steps, on_disconnect, metadata };
      const key = headerValue("idempotencyKey", idempotencyKey);
      const position: StreamPosition = { turnId: null, taskId, after: 0, replayed: false };
      const attempt = (signal: AbortSignal) => (tries: number) => {
        position.turnId = null;
        // The first key belongs to the refused turn, so a new turn needs a new key.
        const headers = { "Idempotency-Key": tries === 1 ? key : `${key}~${tries}` };
        return executeTurn({ service, position, signal, onRetry }, { body, headers });
      };
      return new Turn({
        taskId,
        turnId: () => position.turnId,
        open: () => reading(position, options, (signal) => retryTurn(attempt(signal), { limits, signal, onRetry })),
        cancel: () => cancel(taskId),
      });
    },

    /** Continues reading a turn, for example after a restart of your program. */
    resume(options: ResumeOptions): Turn {
      checkedField(options, "turnId", 'resume({ taskId: "t1", turnId: "turn_…" })');
      const { taskId, turnId, after = 0, onRetry } = options;
      const position: StreamPosition = { turnId, taskId, after, replayed: true };
      return new Turn({
        taskId,
        turnId: () => turnId,
        open: () => reading(position, options, (signal) => followEvents({ service, position, signal, onRetry })),
        cancel: () => cancel(taskId),
      });
    },

    /** Live events of a task, or of all tasks, after `after`, without an end. Of a turn: to its end. */
    async *follow({
      after,
      taskId,
      turnId,
      signal,
      onRetry,
    }: ReplayOptions & { readonly onRetry?: OnRetry } = {}): AsyncGenerator<TurnEvent> {
      const abort = new LinkedAbort(signal);
      const position: StreamPosition = {
        turnId: turnId ?? null,
        taskId: taskId ?? null,
        after: after ?? null,
        replayed: true,
      };
      try {
        yield* followEvents({ service, position, signal: abort.signal, onRetry });
      } finally {
        abort.dispose();
      }
    },

    /** One page of stored events; `next_after` is the `after` of the next page. */
    async replay({
      after,
      taskId,
      turnId,
      limit,
      signal,
    }: ReplayOptions & { readonly limit?: number } = {}): Promise<TypedReplayPage> {
      const query = queryOf({ turn_id: turnId, task_id: taskId, after, limit });
      type Page = Omit<TypedReplayPage, "events"> & {
        readonly events: readonly { readonly event: string; readonly data: Readonly<Record<string, unknown>> }[];
      };
      const page = await get<Page>(`/execute/replay${query}`, { signal });
      return { ...page, events: page.events.map(({ event, data }) => toEvent(event, data)) };
    },

    /** Cancels the task's turn; false if it has none. */
    cancel,
    /** Open requests to a human. */
    pending,
    /** Answers a request. Repeating the same answer is no error. */
    respond,

    /** Needs no key. */
    health: (call?: CallOptions) => get<EngineHealth>("/health", call),

    async servers(call?: CallOptions): Promise<readonly ServerAsset[]> {
      return (await get<{ servers: readonly ServerAsset[] }>("/assets/servers", call)).servers;
    },

    /** Allows tools that changed since they were first seen: all of a server, or one as `servers` shows it. */
    async allowTools({ signal, ...body }: AllowToolsOptions): Promise<void> {
      await post("/assets/servers/allow", { body, signal });
    },

    async searchKnowledge({
      query,
      limit,
      signal,
    }: { readonly query: string; readonly limit?: number } & CallOptions): Promise<readonly KnowledgeHit[]> {
      const found = await post<{ results: readonly KnowledgeHit[] }>("/memory/knowledge/search", {
        body: { query, limit },
        signal,
      });
      return found.results;
    },

    /** The catalog in use, and what a reload of its files would find. */
    showCatalog: (call?: CallOptions) => get<CatalogShown>("/assets/catalog", call),
    reloadCatalog: ({ signal }: CallOptions = {}) => post<CatalogReloaded>("/admin/reload-catalog", { signal }),
    reloadCoreSoul: ({ signal }: CallOptions = {}) => post<CoreSoulReloaded>("/admin/reload-core-soul", { signal }),

    ...turnCalls(service),
    ...memoryCalls(service),
  };
}
