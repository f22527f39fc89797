import { createHash } from "node:crypto";
import type { MessageContent, MessagePart } from "../../../contract/engine/message-content.ts";
import type { ExecuteRequest } from "../../../contract/engine/requests.ts";
import { isRecord } from "../../../shared/json-values.ts";
import { turnOptions } from "../turn-options.ts";
import { A2aError, invalid } from "./a2a-error.ts";
import type { Part, SendParams } from "./requests.ts";

/** The message that begins a task. `metadata` of the message counts before that of the call. */
export function executionOf({ message, metadata }: SendParams, contextId: string): ExecuteRequest {
  const given = { ...metadata, ...message.metadata };
  const body = {
    // A context may have several tasks: a message waits for the one before it.
    when_busy: "queue",
    ...(typeof given["skill"] === "string" && { agent: given["skill"] }),
    ...turnOptions(given, ["client_tools"]),
    task_id: contextId,
    message: contentOf(message.parts),
    message_id: message.messageId,
  };
  return body as ExecuteRequest;
}

/**
 * The context of a message that names none. It follows from the message's id, so that a message that is sent again begins no
 * second context.
 */
export const newContextOf = (messageId: string): string =>
  `ctx_${createHash("sha256").update(messageId).digest("hex").slice(0, 32)}`;

export function contentOf(parts: readonly Part[]): MessageContent {
  const content = parts.map((one, index) => partOf(one, `message.parts.${index}`));
  const [only] = content;
  return content.length === 1 && only?.type === "text" ? only.text : content;
}

function partOf({ text, raw, url, data, filename, mediaType }: Part, place: string): MessagePart {
  if (text !== undefined) return { type: "text", text };
  if (raw !== undefined) {
    const named = filename !== undefined && filename !== "";
    const typed = mediaType !== undefined && mediaType !== "";
    return { type: "file", data: raw, ...(named && { name: filename }), ...(typed && { media_type: mediaType }) };
  }
  if (url !== undefined)
    throw new A2aError(
      "CONTENT_TYPE_NOT_SUPPORTED",
      `${place}.url: expected text, raw or data; the agent fetches no addresses`,
    );
  if (data !== undefined) return { type: "text", text: JSON.stringify(data) };
  throw invalid(`${place}: expected text, raw or data`);
}

export type GivenAnswer =
  | { readonly kind: "request"; readonly id: string | null; readonly answer: string }
  | { readonly kind: "call"; readonly id: string; readonly body: object };

/** What a message answers: the request or call that a part of it names, or else whatever is open. */
export function answersOf(parts: readonly Part[]): readonly GivenAnswer[] {
  const named = parts.flatMap(({ data }, index): GivenAnswer[] => {
    if (!isRecord(data)) return [];
    const { request_id: request, tool_call_id: call, answer, output, error } = data;
    if (typeof request === "string") {
      if (typeof answer !== "string") throw invalid(`message.parts.${index}.data.answer: expected a text`);
      return [{ kind: "request", id: request, answer }];
    }
    if (typeof call !== "string") return [];
    const result = error === undefined ? { output } : { error };
    return [{ kind: "call", id: call, body: { tool_call_id: call, ...result } }];
  });
  if (named.length > 0) return named;
  const answer = parts.flatMap(({ text }) => text ?? []).join("\n");
  if (answer === "")
    throw invalid("message.parts: expected a text, or data with the request_id or tool_call_id that it answers");
  return [{ kind: "request", id: null, answer }];
}
