import * as z from "zod/mini";
import type { AttachmentRecord } from "../../../contract/engine/attachment.ts";
import type { MessageContent, MessagePart } from "../../../contract/engine/message-content.ts";
import type { TaskMessagePart } from "../../../contract/engine/task-message.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { fileId, pathOfFile } from "./event-ids.ts";

export type ContentBlock = { readonly type: string } & Readonly<Record<string, unknown>>;

const source = z.object({
  type: z.string(),
  data: z.optional(z.string()),
  media_type: z.optional(z.string()),
  file_id: z.optional(z.string()),
});
export const contentBlock = z.object({
  type: z.string(),
  text: z.optional(z.string()),
  title: z.nullish(z.string()),
  context: z.nullish(z.string()),
  source: z.optional(source),
});
export const contentBlocks = z.array(contentBlock).check(z.minLength(1), z.maxLength(256));
type Block = z.output<typeof contentBlock>;

/** The message of an event's content. Throws for what the engine cannot take, by its field. */
export function messageOf(calls: EngineCalls, blocks: readonly Block[], field: string): MessageContent {
  const parts = blocks.map((block, index) => partOf(calls, block, `${field}.${index}`));
  const [only, ...others] = parts;
  return only?.type === "text" && others.length === 0 ? only.text : parts;
}

function partOf(calls: EngineCalls, { type, text, title, context, source }: Block, field: string): MessagePart {
  const refused = (name: string, message: string) => calls.error("INVALID_REQUEST", `${field}.${name}: ${message}`);
  if (type === "text") {
    if (text === undefined) throw refused("text", "expected a string");
    return { type: "text", text };
  }
  if (type !== "image" && type !== "document")
    throw refused("type", `expected text, image or document; ${type} is not supported`);
  if (context !== undefined && context !== null) throw refused("context", "not supported; send it as a text block");
  if (source === undefined) throw refused("source", "expected an object");
  const kind = type === "image" ? "image" : "file";
  const name = title === undefined || title === null ? {} : { name: title };
  const { data, media_type: mediaType, file_id: file = "" } = source;
  switch (source.type) {
    case "base64":
      if (data === undefined) throw refused("source.data", "expected base64");
      return { type: kind, data, ...name, ...(mediaType !== undefined && { media_type: mediaType }) };
    case "text":
      if (data === undefined) throw refused("source.data", "expected a string");
      return {
        type: "file",
        data: Buffer.from(data).toString("base64"),
        name: title ?? "document.txt",
        media_type: "text/plain",
      };
    case "file": {
      const path = pathOfFile(file);
      if (path === null) throw refused("source.file_id", "expected the id of a file of this engine");
      return { type: kind, path, ...name };
    }
    default:
      throw refused("source.type", `expected base64, text or file; ${source.type} is not supported`);
  }
}

/** The text of a tool's result. Throws for images and documents, which a client's tool cannot return. */
export function textOfResult(calls: EngineCalls, blocks: readonly Block[], field: string): string {
  return blocks
    .map(({ type, text, title, source }, index) => {
      if (type === "text" && text !== undefined) return text;
      if (type === "document" && source?.type === "text" && source.data !== undefined) return source.data;
      if (type === "search_result") return title ?? "";
      throw calls.error("INVALID_REQUEST", `${field}.${index}.type: expected text; ${type} is not supported here`);
    })
    .join("\n");
}

export const textBlock = (text: string): ContentBlock => ({ type: "text", text });

export const attachmentBlock = ({ kind, name, path }: AttachmentRecord): ContentBlock => {
  const source = { type: "file", file_id: fileId(path) };
  return kind === "image" ? { type: "image", source } : { type: "document", source, title: name };
};

/** A message of the user as the protocol shows it. */
export const userBlocks = (parts: readonly TaskMessagePart[]): readonly ContentBlock[] =>
  parts.flatMap((part) => {
    if (part.type === "text") return [textBlock(part.text)];
    return part.type === "attachment" ? [attachmentBlock(part)] : [];
  });

/** The result of a tool as the protocol shows it. */
export function resultBlocks(
  output: unknown,
  error: string | null,
  attachments: readonly AttachmentRecord[] = [],
): readonly ContentBlock[] {
  const value = error ?? output;
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return [textBlock(text), ...attachments.map(attachmentBlock)];
}
