import { isRecord } from "../../shared/json-values.ts";
import type { Logger } from "../../shared/logger.ts";
import { hasAttachments, withoutAttachments } from "./attachments/without-attachments.ts";
import type { ModelPart, ModelProvider, ModelRequest, ModelTool } from "./model-provider.ts";
import { pairCalls, plainHistory } from "./wire/history.ts";

/** Some servers refuse longer descriptions. */
const MAX_DESCRIPTION = 1024;

/**
 * Retries a refused request once, with calls and results as plain text and without thinking, effort and attachments. Without it,
 * a stored history that the provider refuses would block its conversation.
 */
export function plainRetryProvider(inner: ModelProvider, logger: Logger): ModelProvider {
  return {
    name: inner.name,
    async *stream(request, signal) {
      const refusal = yield* forward(inner.stream(request, signal));
      if (refusal === null) return;
      if (isPlain(request)) {
        yield refusal;
        return;
      }
      const about = { provider: inner.name, model: request.model, reason: refusal.failure.message };
      logger.warn(about, "retrying a refused request as plain text");
      yield* inner.stream(plainRequest(request), signal);
    },
  };
}

type Refusal = Extract<ModelPart, { kind: "failed" }> & { readonly failure: { readonly kind: "permanent" } };

/** Forwards the parts; returns a refusal that came before any of them. */
async function* forward(parts: AsyncIterable<ModelPart>): AsyncGenerator<ModelPart, Refusal | null> {
  let isFirst = true;
  for await (const part of parts) {
    if (isFirst && isRefusal(part)) return part;
    isFirst = false;
    yield part;
  }
  return null;
}

const isRefusal = (part: ModelPart): part is Refusal =>
  part.kind === "failed" && part.failure.kind === "permanent" && part.failure.refused === true;

const isPlain = ({ messages, tools, effort }: ModelRequest): boolean =>
  tools.length === 0 &&
  effort === undefined &&
  !hasAttachments(messages) &&
  messages.every(
    (message) =>
      message.role === "user" || (message.role === "assistant" && message.content.every(({ kind }) => kind === "text")),
  );

const plainRequest = ({ effort: _, ...request }: ModelRequest): ModelRequest => ({
  ...request,
  thinking: false,
  messages: plainHistory(withoutAttachments(pairCalls(request.messages))),
  tools: request.tools.map(plainTool),
});

/** Keeps the name, type and description of each argument. */
function plainTool({ name, description, inputSchema: { properties } }: ModelTool): ModelTool {
  const plain = Object.entries(isRecord(properties) ? properties : {}).map(([argument, schema]) => {
    const { type, description: text } = isRecord(schema) ? schema : {};
    const known = typeof type === "string" && { type };
    return [argument, { ...known, ...(typeof text === "string" && { description: text }) }] as const;
  });
  return {
    name,
    description: description.slice(0, MAX_DESCRIPTION),
    inputSchema: { type: "object", properties: Object.fromEntries(plain) },
  };
}
