import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import type { ModelPart, ModelRequest, ModelTool } from "../model-provider.ts";
import { wireMessages } from "./wire-messages.ts";
import type { WireRules } from "./wire-rules.ts";
import { WireTools } from "./wire-tools.ts";

interface WireCall {
  readonly options: LanguageModelV4CallOptions;
  /** Maps a part of the answer back to the engine's names. */
  readonly restore: (part: ModelPart) => ModelPart;
}

/** Converts any request into one that its provider accepts. */
export class WireWriter {
  /** The tools array is the same from call to call. */
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
        // Lets events without content, such as pings, restart the idle timeout.
        includeRawChunks: true,
        ...(!tools.isEmpty && { tools: tools.tools.map((tool) => ({ type: "function" as const, ...tool })) }),
      },
      restore: (part) => {
        if (part.kind === "tool_use") return tools.original(part);
        return part.kind === "tool_input" ? { ...part, tool: tools.originalName(part.tool) } : part;
      },
    };
  }
}
