import type { ResultFiles } from "../attachments/result-files.ts";
import { describeFile } from "../attachments/describe-file.ts";
import type { ContentBlock } from "./connection.ts";
import { blockText } from "./result-text.ts";

/**
 * A result's content as text. Stores its images, audio and embedded files in `files`. A line in place of each has its
 * path, or the reason why it was not stored.
 */
export async function keepResultFiles(content: readonly ContentBlock[], files: ResultFiles): Promise<string> {
  const texts: string[] = [];
  // One after the other, because the limits apply to the whole result.
  for (const block of content) texts.push((await keepBlock(block, files)) ?? blockText(block));
  return texts.join("\n").toWellFormed();
}

/** Null for a block that is not a file. */
async function keepBlock(block: ContentBlock, files: ResultFiles): Promise<string | null> {
  const source = sourceOf(block);
  if (source === null) return null;
  const { base64, claimed, name } = source;
  const bytes = Buffer.from(base64, "base64");
  const kept = await files.keep({ bytes, claimed, name });
  if (kept.kind === "kept") return `[${describeFile(kept.file)}]`;
  return blockText(block).replace(/; not shown\]$/, `; not shown: ${kept.reason}]`);
}

interface FileSource {
  readonly base64: string;
  readonly claimed: string | undefined;
  readonly name?: string;
}

function sourceOf(block: ContentBlock): FileSource | null {
  const resource = block.type === "resource" ? block["resource"] : null;
  const holder = (resource ?? block) as Readonly<Record<string, unknown>>;
  const base64 = block.type === "resource" ? holder["blob"] : holder["data"];
  if (!["image", "audio", "resource"].includes(block.type) || typeof base64 !== "string") return null;
  const { mimeType: type, uri } = holder;
  const name = typeof uri === "string" ? { name: uri.split(/[?#]/)[0] ?? "" } : {};
  return { base64, claimed: typeof type === "string" ? type : undefined, ...name };
}
