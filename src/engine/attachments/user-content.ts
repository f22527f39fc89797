import type { AttachmentRecord } from "../../contract/engine/attachment.ts";
import { describeFile } from "./describe-file.ts";

/** A message of the user as it is stored: its text, or its parts in order. */
export type UserContent = string | readonly UserPart[];

export type UserPart = WrittenPart | ContextPart;

/** What the user sent. */
type WrittenPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "attachment"; readonly file: AttachmentRecord };

/** An item of context in a message, as the caller gave it. */
export interface ContextPart {
  readonly kind: "context";
  readonly name: string;
  readonly content: string;
  readonly ttl: "turn" | "task";
  /** Nothing changed by it: the model was shown the same with an earlier message, and is not shown it again. */
  readonly repeated?: true;
}

const isWritten = (part: UserPart): part is WrittenPart => part.kind !== "context";

/** The parts that the user sent, in order. */
export const writtenParts = (content: readonly UserPart[]): readonly WrittenPart[] => content.filter(isWritten);

/** What the user wrote, without attachments. */
export const writtenText = (content: UserContent): string =>
  typeof content === "string"
    ? content
    : content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");

/** The whole message as text: a line for each attachment. Context is not part of it. */
export const contentText = (content: UserContent): string =>
  typeof content === "string"
    ? content
    : writtenParts(content)
        .map((part) => (part.kind === "text" ? part.text : `[attached ${describeFile(part.file)}]`))
        .join("\n\n");

/** The same message with a line in place of each attachment. */
export function withoutFiles(content: UserContent): UserContent {
  if (typeof content === "string") return content;
  const others = content.filter((part) => !isWritten(part));
  const text = contentText(content);
  return others.length === 0 ? text : [...(text === "" ? [] : [{ kind: "text", text } as const]), ...others];
}

export const filesOf = (content: UserContent): readonly AttachmentRecord[] =>
  typeof content === "string" ? [] : content.flatMap((part) => (part.kind === "attachment" ? [part.file] : []));
