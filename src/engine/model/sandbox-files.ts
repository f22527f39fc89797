import { digestOf } from "../attachments/check-file.ts";
import type { FilePart, ModelMessage } from "./model-provider.ts";

/** The sandbox model's list of the files of a conversation: those received, and those replaced by a note. */
export function receivedFiles(messages: readonly ModelMessage[]): string {
  const lines = messages.flatMap((message) => {
    if (message.role === "user") return (message.parts ?? []).flatMap((part) => lineOf("user", part));
    if (message.role !== "tool") return [];
    return message.results.flatMap(({ tool, parts = [] }) => parts.flatMap((part) => lineOf(tool, part)));
  });
  return lines.join("\n") || "no attachments";
}

function lineOf(sender: string, part: FilePart): readonly string[] {
  if (part.kind === "data") {
    const { kind, name, media_type: type } = part.file;
    const bytes = part.read();
    return [`${sender} sent ${kind} ${name}, ${type}, ${bytes.length} bytes, sha256 ${digestOf(bytes).slice(0, 12)}`];
  }
  // The line before a file names it once more; other texts in brackets are notes.
  return part.kind === "text" && part.text.startsWith("[") && !/^\[attached (?!text file)/.test(part.text)
    ? [`${sender} sent ${part.text}`]
    : [];
}
