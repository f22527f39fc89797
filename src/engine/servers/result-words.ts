import { isDeepStrictEqual } from "node:util";
import type { CallAnswer, ContentBlock } from "./connection.ts";
import { MAX_DEPTH, isFlatterThan } from "./definition.ts";

type Result = Extract<CallAnswer, { kind: "result" }>;

/**
 * A result for the model: its text, or its structured content where the text only repeats that, or both. What is no
 * text is told of in words.
 */
export function resultForModel({ content, structured }: Result): unknown {
  const text = textOf(content);
  if (structured === undefined) return text;
  if (!isFlatterThan(MAX_DEPTH, structured))
    return text || `[structured content nested deeper than ${MAX_DEPTH} levels]`;
  return text === "" || repeats(text, structured) ? structured : { text, structured_content: structured };
}

export const textOf = (content: readonly ContentBlock[]): string => content.map(wordsOf).join("\n").toWellFormed();

function repeats(text: string, structured: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), structured);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function wordsOf(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return String(block["text"]);
    case "image":
    case "audio":
      return `[${block.type} of ${size(block["data"])}, ${mime(block)}; it cannot be shown here]`;
    case "resource":
      return resourceWords(block["resource"] as Readonly<Record<string, unknown>>);
    case "resource_link": {
      const { name, uri, size: bytes, description } = block;
      const details = [mime(block), typeof bytes === "number" && `${bytes} bytes`, description];
      return `[link to ${String(name)} at ${String(uri)}: ${details.filter(Boolean).join(", ")}]`;
    }
    default:
      return `[content of the kind ${block.type}; it cannot be shown here]`;
  }
}

function resourceWords(resource: Readonly<Record<string, unknown>>): string {
  const { uri, text, blob } = resource;
  if (typeof text === "string") return `[resource ${String(uri)}, ${mime(resource)}]\n${text}`;
  return `[resource ${String(uri)} of ${size(blob)}, ${mime(resource)}; it cannot be shown here]`;
}

const mime = ({ mimeType }: Readonly<Record<string, unknown>>): string =>
  typeof mimeType === "string" ? mimeType : "of unknown type";

const size = (base64: unknown): string =>
  typeof base64 === "string" ? `${Math.floor((base64.replace(/=+$/, "").length * 3) / 4)} bytes` : "unknown size";
