import { type Deadlines, aiSdkProvider } from "../../../src/engine/model/ai-sdk-provider.ts";
import { importFamily } from "../../../src/engine/model/create-provider.ts";
import type { ModelPart, ModelProvider, ModelRequest } from "../../../src/engine/model/model-provider.ts";
import type { Remote } from "./wire-formats.ts";

export const KEY = "sk-upstream-0123456789-SECRET";

export const MODELS: Readonly<Record<Remote, string>> = {
  anthropic: "claude-sonnet-4-5",
  openai: "gpt-5.1",
  google: "gemini-2.5-pro",
  bedrock: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  "openai-compatible": "any",
};

export const requestTo = (remote: Remote, more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: MODELS[remote],
  system: "Be brief.",
  messages: [{ role: "user", text: "SECRET question" }],
  tools: ["list_files", "read_file"].map((name) => ({
    name,
    description: `does ${name}`,
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
  })),
  thinking: true,
  maxOutputTokens: 16_000,
  ...more,
});

/** The adapter alone: nothing is tried again. */
export const adapterTo = (remote: Remote, baseUrl: string, deadlines?: Deadlines): ModelProvider =>
  aiSdkProvider({
    name: remote,
    load: async () => (await importFamily(remote)).openFamily({ apiKey: KEY, baseUrl }),
    ...(deadlines && { deadlines }),
  });

export async function partsOf(
  provider: ModelProvider,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of provider.stream(request, signal)) parts.push(part);
  return parts;
}

/** What a client sees of the parts: blocks with their whole content, in order, and how it ended. */
export function outline(parts: readonly ModelPart[]): readonly string[] {
  const lines: string[] = [];
  let open: string | null = null;
  let written = "";
  for (const part of parts) {
    if (part.kind === "block_start") {
      written = "";
      if (open !== null) throw new Error(`${part.block} begins inside ${open}`);
      open = part.block;
      lines.push(`${part.block}:`);
    } else if (part.kind === "block_stop") {
      if (open !== part.block) throw new Error(`${part.block} stops inside ${String(open)}`);
      open = null;
    } else if (part.kind === "text" || part.kind === "thinking") {
      if (open !== part.kind) throw new Error(`${part.kind} inside ${String(open)}`);
      lines.push(`${lines.pop()}${part.text}`);
    } else if (part.kind === "tool_input") {
      if (open !== "tool_use") throw new Error(`arguments inside ${String(open)}`);
      written += part.json;
    } else if (part.kind === "tool_use") {
      if (open !== "tool_use") throw new Error(`a call inside ${String(open)}`);
      if (written !== "" && written !== part.rawInput)
        throw new Error(`the pieces ${written} are not the arguments ${part.rawInput}`);
      written = "";
      lines.push(`${lines.pop()}${part.id} ${part.tool} ${JSON.stringify(part.input)}`);
    } else if (part.kind === "done") {
      lines.push(`done: ${part.reason} ${Object.values(part.usage).join(" ")}`);
    } else if (part.kind === "restart") {
      open = null;
      lines.push("restart");
    } else {
      lines.push(`failed: ${part.failure.kind}`);
    }
  }
  const endings = parts.filter(({ kind }) => kind === "done" || kind === "failed").length;
  if (endings !== 1 || !/^(?:done|failed)/.test(lines.at(-1) ?? ""))
    throw new Error("not exactly one ending, at the end");
  return lines;
}
