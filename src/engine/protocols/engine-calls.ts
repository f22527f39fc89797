import type * as z from "zod/mini";
import type { EngineErrorCode } from "../../contract/engine/errors.ts";
import type { EventGroup } from "../../contract/engine/event-groups.ts";
import type { StoredEvent } from "../../contract/engine/events.ts";
import type { StoredFile } from "../../contract/engine/file.ts";
import type { SentMessage } from "../../contract/engine/inbox.ts";
import type { ExecuteRequest } from "../../contract/engine/requests.ts";
import type { EngineRouteName } from "../../contract/engine/routes.ts";

/** A stored event before it is read as JSON: `data` is the text of its `data:` line. */
export interface EventRow {
  readonly seq: number;
  readonly ts: number;
  readonly turnId: string;
  readonly taskId: string;
  readonly type: string;
  readonly data: string;
}

/** Reads a stored event as the interface sends it. */
export const eventOf = ({ type, data }: EventRow): StoredEvent =>
  ({ event: type, data: JSON.parse(data) as unknown }) as StoredEvent;

/**
 * Events in the order in which they were stored, as they come. Adjacent deltas that wait to be taken are one. It ends when
 * its caller leaves.
 */
export type Events = AsyncIterable<readonly EventRow[]>;

/** A message whose turn has started, or will. */
export interface StartedMessage {
  /** Null while the message waits for the turn before it. */
  readonly turnId: string | null;
  /** Null for one without an id, which did not wait. */
  readonly messageId: string | null;
  /** Whether an earlier call with the same `message_id` or `Idempotency-Key` sent it. */
  readonly isReplayed: boolean;
  /** From the first event that answers the message to the end of its turn. */
  readonly events: Events;
  /** Ends what this call has begun: its message if that waits, its turn if that runs. */
  readonly leave: () => void;
}

/** What became of a message with an id of the caller's. */
export interface MessageFate {
  readonly state: "waiting" | "taken" | "removed";
  /** The turn that has taken it. */
  readonly turnId: string | null;
  /** The events that answer it come after this `seq` of the turn. */
  readonly afterSeq: number;
}

export interface AgentEntry {
  readonly name: string;
  readonly description: string;
}

/** What is stored with a turn and is no part of its record. */
export interface SentWith {
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The options of the call, such as `client_tools` and `output_schema`. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface RouteCall {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/**
 * The operations of the engine's own interface, for one HTTP call of another protocol. Each checks what the caller may do,
 * and throws the error of the interface, which the caller's protocol then words.
 */
export interface EngineCalls {
  /** Aborted when the caller leaves. */
  readonly gone: AbortSignal;
  /** The engine's address as its caller knows it, without a slash at its end. */
  readonly baseUrl: string;
  /** Milliseconds and bytes for a stream: see `SseWriter`. */
  readonly limits: { readonly heartbeatMs: number; readonly maxQueuedBytes: number; readonly maxQueuedMs: number };
  /** The value of a body. Throws `INVALID_REQUEST` with the field's name. Fields that the schema does not have are dropped. */
  validate<S extends z.ZodMiniObject>(schema: S, body: unknown): z.output<S>;
  /** An error of the engine's table, to be thrown. */
  error(code: EngineErrorCode, message: string, details?: Readonly<Record<string, unknown>>): Error;
  /** What an error of these operations is in the engine's table. An error of another kind is `INTERNAL_ERROR`. */
  described(error: unknown): {
    readonly code: EngineErrorCode;
    readonly message: string;
    readonly status: number;
    readonly details?: Readonly<Record<string, unknown>> | undefined;
  };
  /** As `POST /execute` with a reader: sends a message and follows its turn. A caller that leaves does not end the turn. */
  send(execution: ExecuteRequest, options?: { readonly groups?: readonly EventGroup[] }): Promise<StartedMessage>;
  /** As `POST /execute` without a reader. */
  post(execution: ExecuteRequest): Promise<SentMessage>;
  /** What became of the message of a task with this `message_id`. Null: the task has none. */
  sent(taskId: string, messageId: string): MessageFate | null;
  /**
   * As `GET /execute/replay`: the events of a task or a turn after a `seq`, to the end of the turn when `live`, else to the
   * last one stored. Of a task, a live reading goes on from turn to turn, and ends when the engine sleeps: the response then ends with
   * `sleepingComment`, so that the gateway can hold it.
   */
  read(which: {
    readonly taskId?: string;
    readonly turnId?: string;
    readonly afterSeq?: number;
    readonly live: boolean;
    readonly groups?: readonly EventGroup[];
    /** False: each stored delta on its own, for protocols whose cursors count them. */
    readonly merge?: boolean;
  }): Events;
  /** The agents of the catalog. */
  agents(): readonly AgentEntry[];
  /** What the message of a turn was sent with. Null for a turn that is not stored, or that the caller may not reach. */
  sentWith(turnId: string): SentWith | null;
  /** The turn that an earlier call with this call's `Idempotency-Key` started. Null without one. */
  earlierTurn(): string | null;
  /** The tasks whose ids begin so, the latest activity first. */
  tasksWithPrefix(prefix: string, limit: number): readonly string[];
  /** Ends a turn if it still runs. */
  cancelTurn(taskId: string, turnId: string): boolean;
  /** As `PUT /files/content`. */
  writeFile(path: string, bytes: Uint8Array): Promise<StoredFile>;
  /** Answers the call as `GET /files/content` does, with its ranges and conditions. */
  sendFile(which: { readonly path: string } | { readonly artifact_id: string }): Promise<void>;
  /** The media type of a file by its name. */
  mediaTypeOf(path: string): string;
  /** Calls another route of the interface that answers with JSON, with the caller's rights. Returns the body of its answer. */
  call<Body>(route: EngineRouteName, call?: RouteCall): Promise<Body>;
}
