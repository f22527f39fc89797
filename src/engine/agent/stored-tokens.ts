import type { AttachmentRecord } from "../../contract/engine/attachment.ts";
import { type UserContent, filesOf } from "../attachments/user-content.ts";
import { usualTokens } from "../model/attachments/readable-files.ts";
import { valueTokens } from "../model/context-window.ts";
import type { ToolOutcome } from "../model/model-provider.ts";
import type { MessageRow } from "./conversation.ts";

/** Estimated tokens of stored messages, attachments included as far as a model may be shown them. */
export const storedTokens = (messages: readonly Pick<MessageRow, "role" | "content">[]): number =>
  messages.reduce((sum, message) => sum + valueTokens(message.content) + tokensOf(attachmentsOf(message)), 0);

export function attachmentsOf({ role, content }: Pick<MessageRow, "role" | "content">): readonly AttachmentRecord[] {
  switch (role) {
    case "user":
      return filesOf(content as UserContent);
    case "tool":
      return (content as readonly ToolOutcome[]).flatMap(({ attachments = [] }) => attachments);
    case "assistant":
      return [];
    default:
      return role satisfies never;
  }
}

const tokensOf = (files: readonly AttachmentRecord[]): number =>
  files.reduce((sum, file) => sum + usualTokens(file), 0);
