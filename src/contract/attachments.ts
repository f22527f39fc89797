import * as z from "zod/mini";
import { byteLength, characters, wellFormedText } from "../shared/parse.ts";
import {
  ATTACHMENT_KINDS,
  type AttachmentRecord,
  type MessageContent,
  type MessagePart,
} from "./attachment-records.ts";

/** Of one message, texts included. */
const MAX_MESSAGE_PARTS = 256;
const MAX_TEXT_BYTES = 1024 * 1024;
const MAX_PATH = 4096;
const MAX_NAME = 255;

const TEXT_BYTES = "1 byte to 1 MiB of UTF-8";

export const messageText = wellFormedText(`expected a string of ${TEXT_BYTES}`).check(
  z.refine((text) => byteLength(text) >= 1 && byteLength(text) <= MAX_TEXT_BYTES, { error: `expected ${TEXT_BYTES}` }),
  z.refine((text) => text === "" || text.trim() !== "", { error: "expected more than white space" }),
);

const textPart = z.object({ type: z.literal("text"), text: messageText });

const attachmentPart = z
  .object({
    type: z.enum(["image", "file"]),
    data: z.optional(z.string("expected base64")),
    path: z.optional(characters(1, MAX_PATH)),
    name: z.optional(characters(1, MAX_NAME)),
    media_type: z.optional(characters(1, MAX_NAME)),
  })
  .check(
    z.refine(({ data, path }) => (data === undefined) !== (path === undefined), {
      error: "expected either data or path",
    }),
  );

const PARTS = `expected a list of 1 to ${MAX_MESSAGE_PARTS} parts`;
const parts = z.array(z.discriminatedUnion("type", [textPart, attachmentPart]), PARTS).check(
  z.minLength(1, PARTS),
  z.maxLength(MAX_MESSAGE_PARTS, PARTS),
  z.refine((list) => textBytes(list) <= MAX_TEXT_BYTES, { error: "expected at most 1 MiB of text in all parts" }),
);

export const messageContent = z.union([messageText, parts]) satisfies z.ZodMiniType<MessageContent>;
const textBytes = (list: readonly MessagePart[]): number =>
  list.reduce((sum, part) => sum + (part.type === "text" ? byteLength(part.text) : 0), 0);

export const attachmentRecord = z.object({
  kind: z.enum(ATTACHMENT_KINDS),
  name: z.string(),
  media_type: z.string(),
  claimed_media_type: z.exactOptional(z.string()),
  bytes: z.int().check(z.gte(0)),
  digest: z.string(),
  path: z.string(),
  width: z.exactOptional(z.int()),
  height: z.exactOptional(z.int()),
}) satisfies z.ZodMiniType<AttachmentRecord>;

/** The `attachments` of an event. */
export const attachmentRecords = z.array(attachmentRecord);
