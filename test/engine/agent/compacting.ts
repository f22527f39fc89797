import type { Test } from "tap";
import { type CompactorParts, ContextCompactor } from "../../../src/engine/agent/compaction.ts";
import { requestTokens } from "../../../src/engine/model/context-window.ts";
import type { ModelPart, ModelProvider, ModelRequest } from "../../../src/engine/model/model-provider.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { type Parts, type PartsOptions, engineParts } from "../../helpers/engine-parts.ts";

export interface CountingProvider extends ModelProvider {
  /** Calls that were to answer the user. */
  readonly requests: ModelRequest[];
  /** Calls for a summary. */
  readonly summaries: ModelRequest[];
}

export interface Script {
  /** Text, or the calls of one step; by default a word. */
  readonly answer?: (request: ModelRequest, nth: number) => readonly ModelPart[];
  /** A summary, or how it fails. */
  readonly summary?: (request: ModelRequest, nth: number) => string | Extract<ModelPart, { kind: "failed" }>;
}

export const text = (words: string): readonly ModelPart[] => [
  { kind: "block_start", block: "text" },
  { kind: "text", text: words },
  { kind: "block_stop", block: "text" },
];
export const toolCall = (
  id: string,
  tool: string,
  input: Readonly<Record<string, unknown>> = {},
): readonly ModelPart[] => [
  { kind: "block_start", block: "tool_use" },
  { kind: "tool_use", id, tool, input, rawInput: JSON.stringify(input) },
  { kind: "block_stop", block: "tool_use" },
];

/** A model that counts its tokens as a provider does, and whose summaries say nothing unless they are told to. */
export function countingProvider({
  answer = () => text("Fine."),
  summary = () => "We talked.",
}: Script = {}): CountingProvider {
  const requests: ModelRequest[] = [];
  const summaries: ModelRequest[] = [];
  return {
    name: "scripted",
    requests,
    summaries,
    async *stream(request) {
      const usage = { inputTokens: requestTokens(request), outputTokens: 5, cacheHitTokens: 0 };
      const isSummary = request.purpose === "summary";
      const list = isSummary ? summaries : requests;
      list.push(request);
      const said = isSummary ? summary(request, list.length) : answer(request, list.length);
      const parts = typeof said === "string" ? text(said) : "kind" in said ? [said] : said;
      yield* parts;
      const failed = parts.some(({ kind }) => kind === "failed");
      if (!failed)
        yield { kind: "done", reason: parts.some(({ kind }) => kind === "tool_use") ? "tool_use" : "stop", usage };
    },
  };
}

/** An engine's inside whose model has a small window. */
export function compactingParts(
  t: Test,
  {
    provider,
    compactor = {},
    ...options
  }: Omit<PartsOptions, "compactor" | "provider"> & {
    readonly provider: ModelProvider;
    readonly compactor?: Partial<CompactorParts>;
  },
): Parts {
  return engineParts(t, {
    ...options,
    provider,
    compactor: new ContextCompactor({
      provider,
      lightModel: "light",
      windowOf: () => 16_000,
      reactive: true,
      state: () => [],
      logger: createLogger("test", "silent"),
      ...compactor,
    }),
  });
}

export const filler = (words: number): string =>
  Array.from({ length: words }, (_, index) => WORDS[index % WORDS.length]).join(" ");
const WORDS = "the weather over the hills was calm and nobody went out that evening because of rain".split(" ");
