import type { MessagePart } from "../../../contract/engine/message-content.ts";

/** What a client says was said before. */
export interface Line {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** The result of a call that the client has run. */
export interface CallOutput {
  readonly callId: string;
  readonly output: string;
}

/** What a call of a protocol without conversations on the server sends: all that was said, and what is new. */
export interface SentConversation {
  readonly history: readonly Line[];
  /** The message of the user. Empty without one. */
  readonly parts: readonly MessagePart[];
  readonly outputs: readonly CallOutput[];
  readonly approvals: readonly { readonly requestId: string; readonly isApproved: boolean }[];
  /** The texts of system and developer messages. */
  readonly instructions: readonly string[];
}

export const textOf = (parts: readonly MessagePart[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
