import type { AttachmentPart, AttachmentRecord, MessageContent } from "../src/client/records.ts";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { attachment } from "../src/client/attachment.ts";
import { CliFailure } from "./exit-codes.ts";
import { safe } from "./output.ts";

/** A file of this machine as a part of a message. */
export async function attachFile(path: string): Promise<AttachmentPart> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "ENOENT" ? "no such file" : (error.code ?? error.message);
    throw new CliFailure("usage", `${path} cannot be attached: ${reason}`);
  });
  return attachment(bytes, { name: basename(path) });
}

/** The text, followed by its attachments. */
export const messageWith = (text: string, attachments: readonly AttachmentPart[]): MessageContent =>
  attachments.length === 0 ? text : [...(text.trim() === "" ? [] : [{ type: "text", text } as const]), ...attachments];

/** `holiday.png, image/png, 12 kB` */
export const describeAttachment = ({ name, media_type: type, bytes }: AttachmentRecord): string =>
  `${safe(name)}, ${safe(type)}, ${size(bytes)}`;

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
