import * as z from "zod/mini";
import type { AttachmentRecord } from "../../../contract/engine/attachment.ts";
import type { MessageContent, MessagePart } from "../../../contract/engine/message-content.ts";
import type { EngineCalls } from "../engine-calls.ts";
import type { RunInput, RunMessage } from "./run-input.ts";

/** Names the files of an engine's workspace in parts of messages. */
const PROVIDER = "orchd";

const sources = z.union([
  z.object({ type: z.literal("data"), value: z.string(), mimeType: z.optional(z.string()) }),
  z.object({ type: z.literal("file"), value: z.string(), mimeType: z.optional(z.string()) }),
]);
const userPart = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({
    type: z.enum(["image", "audio", "video", "document"]),
    source: sources,
    metadata: z.optional(z.looseObject({ filename: z.optional(z.string()), name: z.optional(z.string()) })),
  }),
]);
const userContent = z.object({ content: z.union([z.string(), z.array(userPart)]) });
/** By their places in the run's messages, so that a refusal names them. */
const userMessages = z.object({ messages: z.record(z.string(), userContent) });

/** What the user has said in one or several messages, as `message` of `POST /execute`. */
export function contentOf(calls: EngineCalls, { messages }: RunInput, said: readonly RunMessage[]): MessageContent {
  const contents = said.flatMap((message) => {
    const index = messages.indexOf(message);
    if (hasAddress(message.content)) {
      const expected = "expected a source of the type data or file; the engine fetches no addresses";
      throw calls.error("INVALID_REQUEST", `messages.${index}.content: ${expected}`);
    }
    const read = calls.validate(userMessages, { messages: { [index]: { content: message.content } } });
    return Object.values(read.messages).map(({ content }) => content);
  });
  const [only] = contents;
  if (contents.length === 1 && typeof only === "string") return only;
  return contents.flatMap((content): MessagePart[] =>
    typeof content === "string" ? [{ type: "text", text: content }] : content.map(partOf),
  );
}

const hasAddress = (content: unknown): boolean =>
  Array.isArray(content) &&
  content.some((part: { readonly source?: { readonly type?: unknown } } | null) => part?.source?.type === "url");

function partOf(part: z.output<typeof userPart>): MessagePart {
  if (part.type === "text") return part;
  const { source, metadata } = part;
  const name = metadata?.filename ?? metadata?.name;
  return {
    type: part.type === "image" ? "image" : "file",
    ...(source.type === "data" ? { data: source.value } : { path: source.value }),
    ...(name !== undefined && { name }),
    ...(source.mimeType !== undefined && { media_type: source.mimeType }),
  };
}

/** A file of the workspace as a part of a message. A client that sends it back sends the same file. */
export function filePart({ kind, name, media_type: mimeType, path }: AttachmentRecord): object {
  return {
    type: kind === "image" ? "image" : "document",
    source: { type: "file", value: path, provider: PROVIDER, mimeType },
    metadata: { filename: name },
  };
}
