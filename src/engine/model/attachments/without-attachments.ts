import { asText } from "../../../shared/json-values.ts";
import { describeFile } from "../../attachments/describe-file.ts";
import type { FilePart, ModelMessage } from "../model-provider.ts";
import { attachmentNote } from "./show-attachments.ts";

const REFUSED = "left out because the model's provider refused it";

/** The conversation with a line of text in place of each attachment. */
export const withoutAttachments = (messages: readonly ModelMessage[]): ModelMessage[] =>
  messages.map((message) => {
    if (message.role === "user" && message.parts !== undefined) {
      const { parts, ...rest } = message;
      return { ...rest, text: notesOf(parts).join("\n\n") };
    }
    if (message.role !== "tool") return message;
    const results = message.results.map(({ parts = [], ...result }) =>
      parts.length === 0 ? result : { ...result, output: withText(result.output, notesOf(parts)) },
    );
    return { ...message, results };
  });

export const hasAttachments = (messages: readonly ModelMessage[]): boolean =>
  messages.some(
    (message) =>
      (message.role === "user" && message.parts?.some(({ kind }) => kind !== "text")) ||
      (message.role === "tool" && message.results.some(({ parts }) => parts?.some(({ kind }) => kind !== "text"))),
  );

const notesOf = (parts: readonly FilePart[]): readonly string[] =>
  parts.map((part) => (part.kind === "text" ? part.text : attachmentNote(part.file, REFUSED)));

/** A result with lines below it. */
export const withText = (output: unknown, lines: readonly string[]): unknown =>
  lines.length === 0 ? output : [asText(output), ...lines].join("\n");

/** The text that replaces a part which is not sent as a file. */
export const partText = (part: FilePart): string =>
  part.kind === "text" ? part.text : `[attached ${describeFile(part.file)}]`;
