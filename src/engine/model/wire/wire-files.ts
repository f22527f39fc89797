import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import { partText, withText } from "../attachments/without-attachments.ts";
import type { FilePart, ToolOutcome } from "../model-provider.ts";
import { wireToolName } from "./call-names.ts";
import { cleanJson } from "./clean-json.ts";
import type { WireRules } from "./wire-rules.ts";

export type UserPart = Extract<LanguageModelV4Message, { role: "user" }>["content"][number];
type Data = Extract<FilePart, { kind: "data" }>;

export const EMPTY = "(empty)";
/** OpenAI's limit is 10 MiB. */
const MAX_TEXT = 10_000_000;

/** A part of a user's message. */
export const userPart = (part: FilePart): UserPart =>
  part.kind === "data" ? filePart(part) : { type: "text", text: wireText(partText(part)) };

/** Names are left out: some providers refuse one that comes twice, and the text before the file has it. */
const filePart = ({ file, read }: Data) =>
  ({ type: "file", mediaType: file.media_type, data: { type: "data", data: read() } }) as const;

/** A tool's result. Files that the provider does not take within a result go `after` it, in a user message. */
export function resultPart(
  { tool, output, isError, parts = [] }: ToolOutcome,
  { id, rules }: { readonly id: string; readonly rules: WireRules },
): { readonly part: LanguageModelV4ToolResultPart; readonly after: readonly UserPart[] } {
  const about = { type: "tool-result", toolCallId: id, toolName: wireToolName(tool) } as const;
  const files = parts.filter((part) => part.kind === "data");
  const within = files.filter(({ file }) => !isError && rules.resultFiles.includes(file.kind));
  const texts = parts.flatMap((part) => (part.kind === "data" ? [] : [partText(part)]));
  const value = withText(output, texts);
  const text = typeof value === "string" ? wireText(value) : null;
  const after = files.filter((file) => !within.includes(file));
  return {
    part: {
      ...about,
      output:
        within.length > 0
          ? {
              type: "content",
              value: [
                { type: "text", text: text ?? JSON.stringify(cleanJson(value ?? null)) },
                ...within.map(filePart),
              ],
            }
          : text === null
            ? { type: isError ? "error-json" : "json", value: cleanJson(value ?? null) }
            : { type: isError ? "error-text" : "text", value: text },
    },
    after:
      after.length === 0
        ? []
        : [{ type: "text", text: `[of the result of the tool ${wireToolName(tool)}:]` }, ...after.map(filePart)],
  };
}

export function wireText(text: string): string {
  if (text.trim() === "") return EMPTY;
  return (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text).toWellFormed();
}
