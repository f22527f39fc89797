import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import type { ModelPart, ModelRequest, ModelTool } from "../model-provider.ts";
import { wireMessages } from "./wire-messages.ts";
import type { WireRules } from "./wire-rules.ts";
import { WireTools } from "./wire-tools.ts";

export interface WireCall {
  readonly options: LanguageModelV4CallOptions;
  /** A part of the answer in the names that the engine knows. */
  readonly restore: (part: ModelPart) => ModelPart;
}

/** The last step before the wire: whatever a request holds, its provider accepts what is made of it. */
export class WireWriter {
  /** Tools are the same array from call to call. */
  readonly #tools = new WeakMap<readonly ModelTool[], WireTools>();

  write(request: ModelRequest, rules: WireRules, signal: AbortSignal): WireCall {
    const tools = this.#tools.get(request.tools) ?? new WireTools(request.tools, rules);
    this.#tools.set(request.tools, tools);
    const system = request.system.toWellFormed();
    const opening: LanguageModelV4Message[] = system.trim() === "" ? [] : [{ role: "system", content: system }];
    return {
      options: {
        prompt: [...opening, ...wireMessages(request.messages, { rules, tools })],
        maxOutputTokens: request.maxOutputTokens,
        abortSignal: signal,
        // So that signs of life without content, such as pings, reach the watchdog.
        includeRawChunks: true,
        ...(!tools.isEmpty && { tools: tools.tools.map((tool) => ({ type: "function" as const, ...tool })) }),
      },
      restore: (part) => (part.kind === "tool_use" ? tools.original(part) : part),
    };
  }
}
