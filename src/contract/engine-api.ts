import * as z from "zod/mini";
import { byteLength, keptJson, opaqueId, wellFormedText } from "../kit/parse.ts";

/** The engine's words on the wire, apart from its events. */
export const ENGINE_KEY_HEADER = "X-Engine-Key";
export const TURN_ID_HEADER = "X-Turn-Id";
export const MAX_ENGINE_BODY_BYTES = 2 * 1024 * 1024;

/** The agent of the catalog that answers when a call names none. */
export const DEFAULT_AGENT = "default";

export const taskId = opaqueId(1, 256);

export const executeRequest = z.object({
  message: wellFormedText().check(
    z.refine((text) => byteLength(text) >= 1 && byteLength(text) <= 1024 * 1024, {
      error: "expected 1 byte to 1 MiB of UTF-8",
    }),
  ),
  task_id: taskId,
  agent: z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
  thinking: z.optional(z.boolean()),
  max_steps: z.optional(z.int().check(z.gte(1), z.lte(1000))),
  on_disconnect: z.optional(z.enum(["continue", "cancel"])),
  metadata: z.optional(keptJson()),
});
export type ExecuteRequest = z.output<typeof executeRequest>;

export const cancelRequest = z.object({ task_id: taskId });

export const hitlRespondRequest = z.object({
  request_id: z.string().check(z.regex(/^hitl-/, "expected an id with the prefix hitl-")),
  answer: wellFormedText().check(z.minLength(1), z.maxLength(100_000)),
});

export interface EngineHealth {
  readonly status: "ok";
  readonly engine_id: string;
  readonly incarnation: string;
  readonly version: string;
  readonly uptime_s: number;
  readonly active_turns: number;
  readonly pending_hitl: number;
  readonly streams: number;
  readonly core_soul_hash: string | null;
}

/** One pending question to a human, as `GET /hitl/pending` lists it. */
export interface PendingRequest {
  readonly request_id: string;
  readonly kind: "question" | "permission";
  readonly question: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly options: readonly string[];
  readonly task_id: string;
  readonly turn_id: string;
  readonly created_at: string;
}

export interface ReplayPage {
  readonly events: readonly { readonly event: string; readonly data: Readonly<Record<string, unknown>> }[];
  /** The cursor for the next call: the last event's `ts`, or the given `after`. */
  readonly next_after: string | null;
  /** True when events after the cursor have already been dropped. */
  readonly truncated: boolean;
  readonly oldest_ts: string | null;
}

export interface EngineErrorBody {
  readonly error: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}
