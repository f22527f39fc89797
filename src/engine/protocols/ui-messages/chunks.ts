import type { AttachmentRecord } from "../../../contract/engine/attachment.ts";
import type { EngineEventData } from "../../../contract/engine/events.ts";

/** A chunk of the stream. The protocol's client checks it; a wrong one fails its tests. */
export type Chunk = { readonly type: string } & Record<string, unknown>;

/** What has to be looked up before it can be sent. */
export type Later =
  | { readonly look: "file"; readonly file: FileOfTurn }
  | { readonly look: "steering"; readonly turnId: string; readonly messageId: string; readonly number: number };

export type Piece = Chunk | Later;

/** A file of the workspace that a part shows. */
export type FileOfTurn = Pick<AttachmentRecord, "path" | "media_type"> & { readonly name?: string };

/** The tool by which the agent asks its user. Its calls are answered by `addToolOutput`. */
export const ASK_TOOL = "ask_human";

/** `metadata` of a message. */
export interface MessageMetadata {
  readonly turn_id?: string;
  readonly created_at?: string;
  readonly status?: "running" | "waiting_for_human" | "completed" | "errored";
  readonly usage?: EngineEventData["usage"];
  readonly error?: { readonly code: string; readonly message?: string };
  /** From where a client that has the message up to here reads on. `at_step`: without the parts of its last step. */
  readonly resume?: { readonly seq: number; readonly at_step: boolean };
}

export const metadataChunk = (messageMetadata: MessageMetadata): Chunk => ({
  type: "message-metadata",
  messageMetadata,
});
