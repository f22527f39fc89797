import * as z from "zod/mini";
import { byteLength, characters, wellFormedText } from "../../shared/parse.ts";
import { type RecordOf, field, record } from "../record.ts";

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

const textPart = record("TextPart", "A text of a message.", {
  type: field(z.literal("text"), "Marks a text."),
  text: field(
    messageText,
    "Not only white space. The texts of all parts together have at most 1 MiB.",
    "Compare these.",
  ),
});
export type TextPart = RecordOf<typeof textPart>;

const attachmentPart = record("AttachmentPart", "A file of a message, as `data` or by its `path`.", {
  type: field(
    z.enum(["image", "file"]),
    "`image`: refused unless the bytes are a PNG, JPEG, GIF or WebP. `file`: any type, images included.",
    "image",
  ),
  data: field(z.optional(z.string("expected base64")), "The bytes in base64. Either this or `path`."),
  path: field(
    z.optional(characters(1, MAX_PATH)),
    "A file that is already in the engine's workspace. Either this or `data`.",
    "report.pdf",
  ),
  name: field(z.optional(characters(1, MAX_NAME)), "The name that the model is shown.", "photo.png"),
  media_type: field(
    z.optional(characters(1, MAX_NAME)),
    "The type that the sender declares. The bytes decide; it only tells apart what they do not, such as CSV and Markdown.",
    "image/png",
  ),
}).check(
  z.refine(({ data, path }) => (data === undefined) !== (path === undefined), {
    error: "expected either data or path",
  }),
);
export type AttachmentPart = RecordOf<typeof attachmentPart>;

const PARTS = `expected a list of 1 to ${MAX_MESSAGE_PARTS} parts`;
const part = z.discriminatedUnion("type", [textPart, attachmentPart]).check(z.meta({ title: "MessagePart" }));
export type MessagePart = RecordOf<typeof part>;

const parts = z.array(part, PARTS).check(
  z.minLength(1, PARTS),
  z.maxLength(MAX_MESSAGE_PARTS, PARTS),
  z.refine((list) => textBytes(list) <= MAX_TEXT_BYTES, { error: "expected at most 1 MiB of text in all parts" }),
);

export const messageContent = z.union([messageText, parts]).check(z.meta({ title: "MessageContent" }));
export type MessageContent = RecordOf<typeof messageContent>;

const textBytes = (list: readonly MessagePart[]): number =>
  list.reduce((sum, one) => sum + (one.type === "text" ? byteLength(one.text) : 0), 0);
