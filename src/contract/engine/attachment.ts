import * as z from "zod/mini";
import { ATTACHMENT_KINDS } from "./attachment-limits.ts";
import { type RecordOf, field, record } from "../record.ts";
import { count, text } from "../response-schemas.ts";

export const attachmentRecord = record(
  "AttachmentRecord",
  "A file that a message or a tool result refers to. Its bytes are in the workspace, and nowhere else.",
  {
    kind: field(
      z.enum(ATTACHMENT_KINDS).check(z.meta({ title: "AttachmentKind" })),
      "Detected by its bytes. `text`: UTF-8 text, SVG included. `other`: the model gets only a note.",
      "image",
    ),
    name: field(text, "The original name without path, control characters and markup.", "photo.png"),
    media_type: field(text, "The type of the bytes.", "image/png"),
    claimed_media_type: z.exactOptional(
      field(text, "The type that the sender declared, if the bytes have another one.", "image/jpeg"),
    ),
    bytes: field(count, "The size of the file.", 12_043),
    digest: field(text, "SHA-256 of the bytes in lower-case hex."),
    path: field(text, "Its path in the engine's workspace.", ".orch/attachments/…"),
    width: z.exactOptional(field(z.int(), "Of an image: pixels.", 800)),
    height: z.exactOptional(field(z.int(), "Of an image: pixels.", 600)),
  },
);
export type AttachmentRecord = RecordOf<typeof attachmentRecord>;
/** The `attachments` of an event. */
export const attachmentRecords = z.array(attachmentRecord);
