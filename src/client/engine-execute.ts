import type { ReplayPage } from "./records.ts";
import { checkedField, headerValue, newIdempotencyKey } from "./address.ts";
import { toolDefinitions } from "./client-tools.ts";
import * as routes from "./engine-routes.ts";
import { type StreamPosition, executeTurn, followEvents } from "./engine-stream.ts";
import type { CallOptions, Retry, Service } from "./http-call.ts";
import { type Calls, type OptionsOf } from "./route.ts";
import { retryTurn } from "./retry-turn.ts";
import { LinkedAbort } from "./timeouts.ts";
import { Turn } from "./turn.ts";
import { type Answering, answerCalls, openReading } from "./turn-answers.ts";
import { type TurnEvent, toEvent } from "./turn-event.ts";

export interface ReadOptions extends Answering {
  /** Events beyond those that every reader gets, separated by commas: `message`, `tool_input`, `model`. */
  readonly events?: string | undefined;
  /** Called for each failed try and each lost connection, before the wait. */
  readonly onRetry?: OnRetry;
}

export type OnRetry = ((retry: Retry) => void) | undefined;

/** Of an own `idempotencyKey`: it lets a restarted program resume the turn it started. Generated if left out. */
export interface ExecuteOptions
  extends ReadOptions, Omit<routes.ExecuteParams, "ids" | "lastEventId" | "xOrchdEvents" | "clientTools"> {}

export type CancelOptions = OptionsOf<typeof routes.cancel, "taskId">;

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

export type ReplayPageOptions = ReplayOptions & Pick<ReadOptions, "events"> & { readonly limit?: number };

export interface TypedReplayPage extends Omit<ReplayPage, "events"> {
  readonly events: readonly TurnEvent[];
}

/** The calls that run, read, answer and end turns. */
export function streamCalls(service: Service, calls: Calls) {
  const { limits } = service;
  const { call } = calls;
  const cancel = async (taskId: string, given: CancelOptions = {}): Promise<boolean> =>
    (await call(routes.cancel, { ...given, taskId })).cancelled;
  const answers = answerCalls(calls);

  return {
    /** Runs a turn. The message is delivered once, even if the connection is lost. */
    execute(options: ExecuteOptions): Turn {
      checkedField(options, "taskId", 'execute({ taskId: "t1", message: "Hello" })');
      const { onHuman: _, signal: _signal, onRetry, idempotencyKey = newIdempotencyKey(), ...given } = options;
      const params = { ...given, clientTools: toolDefinitions(given.clientTools) };
      const { taskId } = params;
      const key = headerValue("idempotencyKey", idempotencyKey);
      const position: StreamPosition = { turnId: null, taskId, after: 0, replayed: false, events: params.events };
      const attempt = (signal: AbortSignal) => (tries: number) => {
        position.turnId = null;
        // The first key and id belong to the refused turn, so a new turn needs new ones.
        const next = (id: string) => (tries === 1 ? id : `${id}~${tries}`);
        const { messageId } = params;
        const ids = { idempotencyKey: next(key), ...(messageId !== undefined && { messageId: next(messageId) }) };
        return executeTurn({ service, position, signal, onRetry }, { ...params, ...ids });
      };
      return new Turn({
        taskId,
        turnId: () => position.turnId,
        open: () =>
          openReading(answers, options, {
            position,
            events: (signal) => retryTurn(attempt(signal), { limits, signal, onRetry }),
          }),
        cancel: () => cancel(taskId),
      });
    },

    /** Continues reading a turn, for example after a restart of your program. */
    resume(options: ResumeOptions): Turn {
      checkedField(options, "turnId", 'resume({ taskId: "t1", turnId: "turn_…" })');
      const { taskId, turnId, after = 0, events, onRetry } = options;
      const position: StreamPosition = { turnId, taskId, after, replayed: true, events };
      return new Turn({
        taskId,
        turnId: () => turnId,
        open: () => {
          const events = (signal: AbortSignal) => followEvents({ service, position, signal, onRetry });
          const opened = openReading(answers, options, { position, events });
          opened.tools.resume(turnId);
          return opened;
        },
        cancel: () => cancel(taskId),
      });
    },

    /**
     * Live events of a task, or of all tasks, after `after`. Of a turn: to its end. They end when the engine sleeps, unless
     * they come through the daemon's gateway, which continues them after the next wake.
     */
    follow: (given: FollowTurnOptions = {}): AsyncGenerator<TurnEvent> => followStored(service, given),

    /** One page of stored events; `next_after` is the `after` of the next page. */
    async replay({ after, ...given }: ReplayPageOptions = {}): Promise<TypedReplayPage> {
      const page = await call(routes.replay, { ...given, after: after === undefined ? undefined : String(after) });
      return { ...page, events: page.events.map(({ event, data }) => toEvent(event, { ...data })) };
    },

    /** Cancels the task's turn; false if it has none. With `inbox`, also removes the messages that wait. */
    cancel,
    ...answers,
  };
}

export type FollowTurnOptions = ReplayOptions & Pick<ReadOptions, "events"> & { readonly onRetry?: OnRetry };

async function* followStored(
  service: Service,
  { after, taskId, turnId, events, signal, onRetry }: FollowTurnOptions,
): AsyncGenerator<TurnEvent> {
  const abort = new LinkedAbort(signal);
  const position: StreamPosition = {
    turnId: turnId ?? null,
    taskId: taskId ?? null,
    after: after ?? null,
    events,
    replayed: true,
  };
  try {
    yield* followEvents({ service, position, signal: abort.signal, onRetry });
  } finally {
    abort.dispose();
  }
}
