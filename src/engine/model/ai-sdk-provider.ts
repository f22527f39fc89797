import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { BlockType } from "../../contract/engine-events.ts";
import type { FinishReason, ModelPart, ModelProvider, ModelRequest, ModelUsage } from "./model-provider.ts";
import { callOptions } from "./prompt.ts";
import { failureOf, streamedFailureOf } from "./provider-failure.ts";
import { Watchdog } from "./watchdog.ts";

export interface AiSdkProviderParts {
  readonly name: string;
  /** Loads the provider's package at the first call: engines that never speak to it do not carry it. */
  load(modelId: string): Promise<LanguageModelV4>;
  readonly firstPartMs?: number;
  readonly betweenPartsMs?: number;
}

const FIRST_PART_MS = 60_000;
const BETWEEN_PARTS_MS = 120_000;

/** A provider package of the AI SDK behind our seam. It retries nothing; the wrapper around it does. */
export function aiSdkProvider({
  name,
  load,
  firstPartMs = FIRST_PART_MS,
  betweenPartsMs = BETWEEN_PARTS_MS,
}: AiSdkProviderParts): ModelProvider {
  const models = new Map<string, Promise<LanguageModelV4>>();
  const modelOf = (id: string): Promise<LanguageModelV4> => {
    const model = models.get(id) ?? load(id);
    models.set(id, model);
    return model;
  };
  return {
    name,
    async *stream(request, signal) {
      const watchdog = new Watchdog(signal);
      const translation = new Translation();
      const about = () => ({ provider: name, now: Date.now() });
      try {
        watchdog.within(firstPartMs);
        for await (const part of partsOf(await modelOf(request.model), request, watchdog.signal)) {
          if (part.type === "error") {
            yield* translation.close();
            return yield { kind: "failed", failure: streamedFailureOf(part.error, about()), usage: translation.usage };
          }
          yield* translation.translate(part);
          if (part.type !== "stream-start" && part.type !== "response-metadata") watchdog.within(betweenPartsMs);
        }
        yield* translation.close();
        yield translation.ending(name);
      } catch (error) {
        yield* translation.close();
        if (signal.aborted) return yield { kind: "failed", failure: { kind: "aborted" }, usage: translation.usage };
        const failure = watchdog.expired
          ? ({ kind: "transient", message: `${name} fell silent`, status: null, retryAfterS: null } as const)
          : failureOf(error, about());
        yield { kind: "failed", failure, usage: translation.usage };
      } finally {
        watchdog.end();
      }
    },
  };
}

async function* partsOf(
  model: LanguageModelV4,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const { stream } = await model.doStream(callOptions(request, signal));
  const reader = stream.getReader();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  // Nobody may be waiting when it is aborted.
  aborted.promise.catch(() => undefined);
  try {
    for (;;) {
      // A stream that does not heed its signal must not hold the turn.
      const { done, value } = await Promise.race([reader.read(), aborted.promise]);
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", abort);
    reader.cancel().catch(() => undefined);
  }
}

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_use",
  "content-filter": "refused",
};

/** The provider's parts as ours: blocks that never overlap, whatever order it closes its own in. */
class Translation {
  usage: ModelUsage | null = null;
  #open: BlockType | null = null;
  #finish: { readonly unified: string } | null = null;

  *translate(part: LanguageModelV4StreamPart): Generator<ModelPart> {
    switch (part.type) {
      case "text-start":
        yield* this.#begin("text");
        break;
      case "text-delta":
        if (this.#open !== "text") yield* this.#begin("text");
        if (part.delta !== "") yield { kind: "text", text: part.delta };
        break;
      case "reasoning-start":
        yield* this.#begin("thinking");
        if (part.providerMetadata !== undefined) yield { kind: "thinking", text: "", signature: part.providerMetadata };
        break;
      case "reasoning-delta":
        if (this.#open !== "thinking") yield* this.#begin("thinking");
        yield {
          kind: "thinking",
          text: part.delta,
          ...(part.providerMetadata && { signature: part.providerMetadata }),
        };
        break;
      case "reasoning-end":
        if (this.#open === "thinking" && part.providerMetadata !== undefined) {
          yield { kind: "thinking", text: "", signature: part.providerMetadata };
        }
        yield* this.#end("thinking");
        break;
      case "text-end":
        yield* this.#end("text");
        break;
      case "tool-input-start":
        yield* this.#begin("tool_use");
        break;
      case "tool-call":
        if (this.#open !== "tool_use") yield* this.#begin("tool_use");
        yield {
          kind: "tool_use",
          id: part.toolCallId,
          tool: part.toolName,
          input: readInput(part.input),
          rawInput: part.input,
        };
        yield* this.#end("tool_use");
        break;
      case "finish":
        this.#finish = part.finishReason;
        this.usage = usageOf(part.usage);
        break;
      default:
        // Sources, files and the like have no event of ours.
        break;
    }
  }

  *close(): Generator<ModelPart> {
    if (this.#open !== null) yield* this.#end(this.#open);
  }

  /** What the stream's end says. One that ended without a reason was cut, however cleanly. */
  ending(provider: string): ModelPart {
    const unified = this.#finish?.unified;
    if (unified === undefined || unified === "interrupted" || unified === "error") {
      const failure = {
        kind: "transient",
        message: `${provider} broke off its answer`,
        status: null,
        retryAfterS: null,
      } as const;
      return { kind: "failed", failure, usage: this.usage };
    }
    const usage = this.usage ?? { inputTokens: 0, outputTokens: 0, cacheHitTokens: 0 };
    return { kind: "done", reason: FINISH[unified] ?? "other", usage };
  }

  *#begin(block: BlockType): Generator<ModelPart> {
    yield* this.close();
    this.#open = block;
    yield { kind: "block_start", block };
  }

  *#end(block: BlockType): Generator<ModelPart> {
    if (this.#open !== block) return;
    this.#open = null;
    yield { kind: "block_stop", block };
  }
}

/** Null for what is no JSON object: the model is told, the turn goes on. No arguments at all are none. */
function readInput(text: string): Readonly<Record<string, unknown>> | null {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelUsage {
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    cacheHitTokens: inputTokens.cacheRead ?? 0,
  };
}
