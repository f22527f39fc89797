import type { AttachmentRecord } from "../../contract/engine/attachment.ts";
import type { Effort } from "../../contract/engine/model-choice.ts";
import type { BlockType } from "../../contract/engine/events.ts";
import type { Scope } from "../telemetry/engine-telemetry.ts";

/**
 * The seam to an upstream language model. An implementation only translates: it never retries, stores or emits events.
 * `stream` never throws: whatever happens, the iteration ends with exactly one `done` or `failed` part.
 * Blocks never overlap: each `block_start` is followed by its own deltas and its `block_stop`, unless `failed` cuts it
 * off. A `tool_use` block that was cut off may stop without its `tool_use`. Only `retryingProvider` sends `restart`.
 */
export interface ModelProvider {
  /** As in `LLM_PROVIDER`. */
  readonly name: string;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
}

export interface ModelRequest {
  /** Of another provider than the engine's: `provider:model`. */
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly thinking: boolean;
  /** How much the model reasons; models without this option ignore it. Omitted: the model's default. */
  readonly effort?: Effort;
  /** Whether another model answers if this one fails: it is then not called again and again. */
  readonly hasFallback?: boolean;
  readonly maxOutputTokens: number;
  /** Omitted when the call answers the user. */
  readonly purpose?: "summary" | "learning" | "title";
  /**
   * `interactive` (default): a user waits for the answer. `background`, as in learning: waits while interactive calls to
   * the model wait, and fails as `rate_limited` after a minute.
   */
  readonly priority?: "interactive" | "background";
  /** The turn that makes the call, for telemetry. Omitted outside of turns. */
  readonly scope?: Scope;
  /** Set on the retry after compaction of a request that did not fit. */
  readonly shortened?: boolean;
}

/** A tool as the model sees it; `inputSchema` is JSON Schema. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The provider is to keep the model to the schema, where it can. */
  readonly strict?: true;
}

export type ModelMessage =
  /**
   * `recalled`: matching memory, labelled as data; a separate part after the user's text. `parts`: the message in order
   * where it has attachments; `text` is then what the user wrote. `context`: what the caller gave with it, labelled as
   * data; a separate part too. `ofEngine`: the engine asks for something within the turn.
   */
  | {
      readonly role: "user";
      readonly text: string;
      readonly parts?: readonly FilePart[];
      readonly context?: string;
      readonly recalled?: string;
      readonly ofEngine?: true;
    }
  | { readonly role: "assistant"; readonly content: readonly AssistantContent[] }
  | { readonly role: "tool"; readonly results: readonly ToolOutcome[] };

export type AssistantContent =
  | { readonly kind: "text"; readonly text: string }
  /** `signature` is opaque JSON of the provider that must go back unchanged with the thinking it signed. */
  | { readonly kind: "thinking"; readonly text: string; readonly signature?: unknown }
  | {
      readonly kind: "tool_use";
      readonly id: string;
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
      /** Opaque, as with thinking. */
      readonly signature?: unknown;
    };

export interface ToolOutcome {
  readonly id: string;
  readonly tool: string;
  /** Text or JSON as the tool returned it, or the error message. */
  readonly output: unknown;
  readonly isError: boolean;
  /** Files of the result. */
  readonly attachments?: readonly AttachmentRecord[];
  /** The same as they are shown to the model; only in a request. */
  readonly parts?: readonly FilePart[];
}

/** Text, or a file with text around it. A request has references until it is sent, so that nothing copies the bytes. */
export type FilePart =
  | { readonly kind: "text"; readonly text: string }
  /** `tokens`: the estimate for the model that is asked. */
  | { readonly kind: "attachment"; readonly file: AttachmentRecord; readonly tokens?: number }
  /** `read` is a function so that nothing that counts, hashes or logs the message serializes the bytes. */
  | { readonly kind: "data"; readonly file: AttachmentRecord; readonly read: () => Uint8Array };

export type ModelPart =
  | { readonly kind: "block_start"; readonly block: BlockType }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "thinking"; readonly text: string; readonly signature?: unknown }
  /** A piece of a call's arguments as the model writes them, before its `tool_use`. Providers need not send any. */
  | { readonly kind: "tool_input"; readonly id: string; readonly tool: string; readonly json: string }
  /** Comes between `block_start` and `block_stop` of a `tool_use` block. `input` is null when the model's JSON was broken; `rawInput` then has it. */
  | {
      readonly kind: "tool_use";
      readonly id: string;
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>> | null;
      readonly rawInput: string;
      readonly signature?: unknown;
    }
  | { readonly kind: "block_stop"; readonly block: BlockType }
  /** The answer was cut, and is asked for again: what follows replaces what came, unless `failed` follows at once. `usage`: of the cut one. */
  | { readonly kind: "restart"; readonly usage: ModelUsage | null }
  | { readonly kind: "done"; readonly reason: FinishReason; readonly usage: ModelUsage }
  | { readonly kind: "failed"; readonly failure: ModelFailure; readonly usage: ModelUsage | null };

export type FinishReason = "stop" | "tool_use" | "length" | "refused" | "other";

/** Tokens of one model call. `inputTokens` counts the whole request, with cache reads and cache writes. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheHitTokens: number;
  /** Omitted: none, or the provider does not report them. */
  readonly cacheWriteTokens?: number;
}

export type ModelFailure =
  /** The provider's rate limit; `retryAfterS` is null if it sent none. */
  | { readonly kind: "rate_limited"; readonly message: string; readonly retryAfterS: number | null }
  /** Retryable: overloaded, 5xx, lost connection, timeout. */
  | {
      readonly kind: "transient";
      readonly message: string;
      readonly status: number | null;
      readonly retryAfterS: number | null;
      /** No answer in time. */
      readonly isTimeout?: true;
    }
  /** The request exceeds the context window, whose size in tokens is `window` if the provider reported it. */
  | { readonly kind: "too_long"; readonly message: string; readonly window?: number }
  /** Not retryable: bad key, bad request. `refused`: because of the request's content. */
  | { readonly kind: "permanent"; readonly message: string; readonly status: number | null; readonly refused?: boolean }
  /** Not made: a budget is spent. `details` are those of the error. */
  | { readonly kind: "over_budget"; readonly message: string; readonly details: Readonly<Record<string, unknown>> }
  | { readonly kind: "aborted" };
