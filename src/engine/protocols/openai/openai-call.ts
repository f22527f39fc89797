import { ENGINE_ERRORS, type EngineErrorCode } from "../../../contract/engine/errors.ts";
import { type ProtocolName, protocolErrorBody } from "../../../contract/engine/protocols.ts";
import type { ContextItem } from "../../../contract/engine/turn-context.ts";
import type { EngineCalls } from "../engine-calls.ts";
import type { ProtocolCall, ProtocolHandler, ProtocolRequest } from "../protocol.ts";
import type { AnswerEnd } from "./turn-pieces.ts";

/** Continues this conversation, whatever messages the call has. */
const TASK_HEADER = "x-task-id";
const RETRIES_HEADER = "x-stainless-retry-count";
/** OpenAI's clients repeat calls with status 409, 429 and 5xx, unless this says `false`. */
const SHOULD_RETRY = "x-should-retry";
/** What a repeated call does not change. */
const LASTING: ReadonlySet<EngineErrorCode> = new Set<EngineErrorCode>([
  "HITL_ALREADY_ANSWERED",
  "TOOL_ALREADY_ANSWERED",
  "IDEMPOTENCY_CONFLICT",
  "BUDGET_EXCEEDED",
  "TASK_EXISTS",
]);

const headerOf = ({ headers }: ProtocolRequest, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** The task that a call names by a header, percent-encoded, or in its metadata. Undefined: none. */
export function namedTask(
  { request, calls }: Pick<ProtocolCall, "request" | "calls">,
  metadata: Readonly<Record<string, string>> | null | undefined,
): string | undefined {
  const header = headerOf(request, TASK_HEADER);
  if (header === undefined) return metadata?.["task_id"];
  try {
    return decodeURIComponent(header);
  } catch {
    throw calls.error("INVALID_REQUEST", "X-Task-Id: expected a task_id, percent-encoded");
  }
}

/** Whether the client says that it repeats a call that failed. */
export const isRepeated = (request: ProtocolRequest): boolean => Number(headerOf(request, RETRIES_HEADER) ?? 0) > 0;

/** Tells clients that repeat calls by themselves where that is of no use. */
export function withRetryAdvice(handler: ProtocolHandler): ProtocolHandler {
  return async (call: ProtocolCall) => {
    try {
      await handler(call);
    } catch (error) {
      if (!call.response.headersSent && LASTING.has(call.calls.described(error).code))
        call.response.setHeader(SHOULD_RETRY, "false");
      throw error;
    }
  };
}

/** Throws for a model that is no agent of the catalog. */
export function assertModel(calls: EngineCalls, model: string): void {
  if (!calls.agents().some(({ name }) => name === model))
    throw calls.error(
      "NOT_FOUND",
      `model: there is no agent named ${model.slice(0, 100)}; GET /v1/models lists the agents`,
    );
}

/** `ttl`: whether the text holds for one message or for the conversation. */
export const instructionsContext = (texts: readonly string[], ttl: "turn" | "task"): readonly ContextItem[] =>
  texts.length === 0 ? [] : [{ name: "instructions", content: texts.join("\n\n"), ttl }];

/** The efforts of these protocols that an engine has under another name. */
const EFFORTS: Readonly<Record<string, "low" | "medium" | "high">> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** How much the model reasons. Nothing for `none` or without a wish. */
export function effortOf(
  calls: EngineCalls,
  effort: string | null | undefined,
  field: string,
): { readonly effort?: "low" | "medium" | "high" } {
  if (effort === null || effort === undefined || effort === "none") return {};
  const known = Object.hasOwn(EFFORTS, effort) ? EFFORTS[effort] : undefined;
  if (known === undefined)
    throw calls.error("INVALID_REQUEST", `${field}: expected none, ${Object.keys(EFFORTS).join(", ")}`);
  return { effort: known };
}

/** The events of the answer ended before it did. */
export const eventsGone = (calls: EngineCalls): Error =>
  calls.error("NOT_FOUND", "the events of the answer are kept no longer");

/** A turn that failed, in the form of the protocol's errors. */
export function failureBody(protocol: ProtocolName, { code, message, details }: Failure): object {
  const status = ENGINE_ERRORS[code as EngineErrorCode]?.status ?? 500;
  return protocolErrorBody(protocol, { code: code as EngineErrorCode, message, status, details });
}

/** Throws what a turn failed with. A client repeats only one that has done nothing yet. */
export function throwFailure(
  { calls, response }: Pick<ProtocolCall, "calls" | "response">,
  { code, message, details }: Failure,
  { isEmpty }: { readonly isEmpty: boolean },
): never {
  const retryAfter = details?.["retry_after"];
  if (typeof retryAfter === "number") response.setHeader("Retry-After", String(Math.ceil(retryAfter)));
  if (!isEmpty || code !== "LLM_RATE_LIMITED") response.setHeader(SHOULD_RETRY, "false");
  throw calls.error(code as EngineErrorCode, message, details);
}

type Failure = Extract<AnswerEnd, { kind: "failed" }>;
