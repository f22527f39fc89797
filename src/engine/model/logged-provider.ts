import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import { logStep } from "../../shared/log-step.ts";
import type { Logger } from "../../shared/logger.ts";
import type { ModelProvider, ModelRequest } from "./model-provider.ts";

/** Logs each call and its end at DEBUG: parameters, counts, sizes and hashes, never content. */
export function loggedProvider(inner: ModelProvider, logger: Logger): ModelProvider {
  if (!logger.isLevelEnabled("debug")) return inner;
  return {
    name: inner.name,
    async *stream(request, signal) {
      const startedAt = performance.now();
      let firstMs: number | null = null;
      let parts = 0;
      logger.debug(parametersOf(inner.name, request), "called the model");
      logStep(logger, "model_called");
      for await (const part of inner.stream(request, signal)) {
        if (firstMs === null) logStep(logger, "model_answered");
        firstMs ??= Math.round(performance.now() - startedAt);
        parts++;
        if (part.kind === "done" || part.kind === "failed") {
          const { usage } = part;
          const end = part.kind === "done" ? { reason: part.reason } : { failure: part.failure.kind };
          const ms = Math.round(performance.now() - startedAt);
          logger.debug(
            { model: request.model, ...end, usage, parts, first_ms: firstMs, took_ms: ms },
            "ended the model call",
          );
        }
        yield part;
      }
    },
  };
}

function parametersOf(provider: string, { model, system, messages, tools, ...rest }: ModelRequest) {
  const roles = { user: 0, assistant: 0, tool: 0 };
  for (const { role } of messages) roles[role]++;
  return {
    provider,
    model,
    purpose: rest.purpose ?? "turn",
    priority: rest.priority ?? "interactive",
    thinking: rest.thinking,
    max_output_tokens: rest.maxOutputTokens,
    shortened: rest.shortened ?? false,
    system: sizeAndHash(system),
    tools: { count: tools.length, ...sizeAndHash(tools) },
    messages: { ...roles, ...sizeAndHash(messages) },
  };
}

function sizeAndHash(value: unknown): { readonly characters: number; readonly hash: string } {
  const text = JSON.stringify(value);
  return { characters: text.length, hash: sha256(text).slice(0, 12) };
}
