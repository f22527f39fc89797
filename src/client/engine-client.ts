import type { CatalogReloaded, CoreSoulReloaded } from "../contract/catalog-records.ts";
import {
  ENGINE_KEY_HEADER,
  type EngineHealth,
  type KnowledgeHit,
  type PendingRequest,
  type ServerAsset,
} from "../contract/engine-records.ts";
import { baseAddress, headerValue, newIdempotencyKey, queryOf } from "./address.ts";
import { beginAnew } from "./begin-anew.ts";
import { memoryCalls } from "./engine-memory.ts";
import { type Bookmark, executeTurn, followEvents } from "./engine-stream.ts";
import { type CallOptions, type Retry, type RetryOptions, type Service, type Wish, ask } from "./http-call.ts";
import { HumanResponder, type OnHuman } from "./human-responder.ts";
import { type ClientLimits, DEFAULT_LIMITS } from "./limits.ts";
import { Turn, type TurnReading } from "./turn.ts";
import { type TurnEvent, toEvent } from "./turn-event.ts";
import { LinkedAbort } from "./waiting.ts";

export interface EngineClientOptions {
  /** As the engine's record has it. */
  readonly url: string;
  /** The engine's key, as `provision` answered with it. */
  readonly key: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly limits?: Partial<ClientLimits>;
}

export type { CallOptions } from "./http-call.ts";

interface ReadOptions extends CallOptions {
  /** Answers the agent's questions. Without it they stay open, to be answered by `respond` or from elsewhere. */
  readonly onHuman?: OnHuman | undefined;
  /** Told of each try that failed and each connection that was lost, before the next one is waited for. */
  readonly onRetry?: OnRetry;
}

type OnRetry = ((retry: Retry) => void) | undefined;

export interface ExecuteOptions extends ReadOptions {
  readonly message: string;
  /** A task is a conversation: the next turn with the same id goes on with it. */
  readonly taskId: string;
  readonly agent?: string | undefined;
  readonly thinking?: boolean | undefined;
  readonly maxSteps?: number | undefined;
  readonly onDisconnect?: "continue" | "cancel" | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Made when left out. Your own lets a program that has been restarted take up the turn it had begun. */
  readonly idempotencyKey?: string | undefined;
}

export interface ResumeOptions extends ReadOptions {
  readonly taskId: string;
  readonly turnId: string;
  /** The `seq` of the last event that was read; left out, the turn is read from its beginning. */
  readonly after?: number | undefined;
}

export interface ReplayOptions extends CallOptions {
  /** A `seq` or a time, both exclusive; left out, everything that is kept. */
  readonly after?: string | number | undefined;
  readonly taskId?: string | undefined;
  readonly turnId?: string | undefined;
}

export interface AllowToolsOptions extends CallOptions {
  readonly server: string;
  /** As the server names it; with `definition`, or not at all. */
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

/** Calls of one engine. They are tried again as the interface guides; errors are {@link OrchdError}s. */
export function createEngineClient({ url, key, fetch: ownFetch, limits: wanted }: EngineClientOptions) {
  const limits: ClientLimits = { ...DEFAULT_LIMITS, ...wanted };
  const service: Service = {
    url: baseAddress(url),
    headers: { [ENGINE_KEY_HEADER]: headerValue("key", key) },
    fetch: ownFetch ?? ((input, init) => globalThis.fetch(input, init)),
    limits,
  };
  const get = <T>(path: string, { signal }: CallOptions = {}) => ask<T>(service, { method: "GET", path, signal });
  const post = <T>(path: string, wish: Pick<Wish, "body" | "signal">, retry?: RetryOptions) =>
    ask<T>(service, { method: "POST", path, ...wish }, retry);

  const cancel = async (taskId: string, { signal }: CallOptions = {}): Promise<boolean> =>
    (await post<{ cancelled: boolean }>("/execute/cancel", { body: { task_id: taskId }, signal })).cancelled;
  const pending = async (call: CallOptions = {}): Promise<readonly PendingRequest[]> =>
    (await get<{ requests: readonly PendingRequest[] }>("/hitl/pending", call)).requests;
  const respond = async (requestId: string, answer: string, { signal }: CallOptions = {}): Promise<void> => {
    await post("/hitl/respond", { body: { request_id: requestId, answer }, signal });
  };

  const reading = (
    bookmark: Readonly<Bookmark>,
    { signal, onHuman }: ReadOptions,
    events: (signal: AbortSignal) => AsyncIterable<TurnEvent>,
  ): TurnReading => {
    const leash = new LinkedAbort(signal);
    const humans = new HumanResponder({
      onHuman,
      pending: () => pending({ signal: leash.signal }),
      respond: (requestId, answer) => respond(requestId, answer, { signal: leash.signal }),
      fail: (error) => leash.abort(error),
    });
    return { events: events(leash.signal), humans, isReplayed: () => bookmark.replayed, close: () => leash.dispose() };
  };

  return {
    url: service.url,

    /** Runs a turn. Its message is sent once, however often the connection is lost. */
    execute(options: ExecuteOptions): Turn {
      const { message, taskId, onRetry, idempotencyKey = newIdempotencyKey() } = options;
      const { agent, thinking, maxSteps: max_steps, onDisconnect: on_disconnect, metadata } = options;
      const body = { message, task_id: taskId, agent, thinking, max_steps, on_disconnect, metadata };
      const key = headerValue("idempotencyKey", idempotencyKey);
      const bookmark: Bookmark = { turnId: null, taskId, after: 0, replayed: false };
      const attempt = (signal: AbortSignal) => (tries: number) => {
        bookmark.turnId = null;
        // A key stands for the turn that was begun with it; another one needs another.
        const headers = { "Idempotency-Key": tries === 1 ? key : `${key}~${tries}` };
        return executeTurn({ service, bookmark, signal, onRetry }, { body, headers });
      };
      return new Turn({
        taskId,
        turnId: () => bookmark.turnId,
        begin: () => reading(bookmark, options, (signal) => beginAnew(attempt(signal), { limits, signal, onRetry })),
        cancel: () => cancel(taskId),
      });
    },

    /** Goes on reading a turn, as after a restart of one's own program. */
    resume(options: ResumeOptions): Turn {
      const { taskId, turnId, after = 0, onRetry } = options;
      const bookmark: Bookmark = { turnId, taskId, after, replayed: true };
      return new Turn({
        taskId,
        turnId: () => turnId,
        begin: () => reading(bookmark, options, (signal) => followEvents({ service, bookmark, signal, onRetry })),
        cancel: () => cancel(taskId),
      });
    },

    /** Events of a task, or of all, as they happen, behind `after` and without an end; of a turn, to its end. */
    async *follow({
      after,
      taskId,
      turnId,
      signal,
      onRetry,
    }: ReplayOptions & { readonly onRetry?: OnRetry } = {}): AsyncGenerator<TurnEvent> {
      const leash = new LinkedAbort(signal);
      const bookmark: Bookmark = {
        turnId: turnId ?? null,
        taskId: taskId ?? null,
        after: after ?? null,
        replayed: true,
      };
      try {
        yield* followEvents({ service, bookmark, signal: leash.signal, onRetry });
      } finally {
        leash.dispose();
      }
    },

    /** One page of what is stored; `next_after` is the next page's `after`. */
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

    /** Ends the task's turn; false when it has none. */
    cancel,
    /** The requests that wait for a person. */
    pending,
    /** Answers one; the same answer may be given again. */
    respond,

    /** Needs no key. */
    health: (call?: CallOptions) => get<EngineHealth>("/health", call),

    async servers(call?: CallOptions): Promise<readonly ServerAsset[]> {
      return (await get<{ servers: readonly ServerAsset[] }>("/assets/servers", call)).servers;
    },

    /** Lets tools through that changed since they were first seen: all of a server's, or one as `servers` shows it. */
    async allowTools({ signal, ...wish }: AllowToolsOptions): Promise<void> {
      await post("/assets/servers/allow", { body: wish, signal });
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

    reloadCatalog: ({ signal }: CallOptions = {}) => post<CatalogReloaded>("/admin/reload-catalog", { signal }),
    reloadCoreSoul: ({ signal }: CallOptions = {}) => post<CoreSoulReloaded>("/admin/reload-core-soul", { signal }),

    ...memoryCalls(service),
  };
}
