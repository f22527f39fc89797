import { isDeepStrictEqual } from "node:util";
import type { CallResult, ContentBlock } from "./connection.ts";
import { MAX_JSON_LEVELS, isFlatterThan } from "../../shared/json-values.ts";

type Result = Extract<CallResult, { kind: "result" }>;

/** A result for the model: content as text, structured content, or both where they differ. `text`: of the content. */
export function resultForModel({ content, structured }: Result, text = textOf(content)): unknown {
  if (structured === undefined) return text;
  if (!isFlatterThan(MAX_JSON_LEVELS, structured))
    return text || `[structured content nested deeper than ${MAX_JSON_LEVELS} levels]`;
  if (text === "" || isJsonOf(text, structured)) return structured;
  return repeats(content, unwrapped(structured)) ? text : { text, structured_content: structured };
}

export const textOf = (content: readonly ContentBlock[]): string => content.map(blockText).join("\n").toWellFormed();

/** Servers wrap text or a list in an object of one field, because structured content must be an object. */
function unwrapped(structured: unknown): unknown {
  if (typeof structured !== "object" || structured === null) return structured;
  const [value, ...more] = Object.values(structured);
  return more.length === 0 ? value : structured;
}

/** Whether a value is the whole text, or a list with one item for each content block. */
function repeats(content: readonly ContentBlock[], value: unknown): boolean {
  if (isTextOf(textOf(content), value)) return true;
  if (!Array.isArray(value) || value.length !== content.length) return false;
  return content.every((block, at) => isDeepStrictEqual(block, value[at]) || isTextOf(blockText(block), value[at]));
}

const isTextOf = (text: string, value: unknown): boolean =>
  typeof value === "string" ? text === value.toWellFormed() : isJsonOf(text, value);

function isJsonOf(text: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), value);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

export function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return String(block["text"]);
    case "image":
    case "audio":
      return `[${block.type} of ${size(block["data"])}, ${mime(block)}; not shown]`;
    case "resource":
      return resourceText(block["resource"] as Readonly<Record<string, unknown>>);
    case "resource_link": {
      const { name, uri, size: bytes, description } = block;
      const details = [mime(block), typeof bytes === "number" && `${bytes} bytes`, description];
      return `[link to ${String(name)} at ${String(uri)}: ${details.filter(Boolean).join(", ")}]`;
    }
    default:
      return `[content of type ${block.type}; not shown]`;
  }
}

function resourceText(resource: Readonly<Record<string, unknown>>): string {
  const { uri, text, blob } = resource;
  if (typeof text === "string") return `[resource ${String(uri)}, ${mime(resource)}]\n${text}`;
  return `[resource ${String(uri)} of ${size(blob)}, ${mime(resource)}; not shown]`;
}

const mime = ({ mimeType }: Readonly<Record<string, unknown>>): string =>
  typeof mimeType === "string" ? mimeType : "of unknown type";

const size = (base64: unknown): string =>
  typeof base64 === "string" ? `${Math.floor((base64.replace(/=+$/, "").length * 3) / 4)} bytes` : "unknown size";
