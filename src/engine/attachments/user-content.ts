import type { AttachmentRecord } from "../../contract/engine/attachment.ts";
import { describeFile } from "./describe-file.ts";

/** A message of the user as it is stored: its text, or its parts in order. */
export type UserContent = string | readonly UserPart[];

export type UserPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "attachment"; readonly file: AttachmentRecord };

/** What the user wrote, without attachments. */
export const writtenText = (content: UserContent): string =>
  typeof content === "string"
    ? content
    : content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");

/** The whole message as text: a line for each attachment. */
export const contentText = (content: UserContent): string =>
  typeof content === "string"
    ? content
    : content.map((part) => (part.kind === "text" ? part.text : `[attached ${describeFile(part.file)}]`)).join("\n\n");

export const filesOf = (content: UserContent): readonly AttachmentRecord[] =>
  typeof content === "string" ? [] : content.flatMap((part) => (part.kind === "attachment" ? [part.file] : []));
