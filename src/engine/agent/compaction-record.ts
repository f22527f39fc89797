import { type UserContent, withoutFiles } from "../attachments/user-content.ts";
import type { ToolOutcome } from "../model/model-provider.ts";
import type { MessageRow } from "./conversation.ts";
import { type Fact, resultDigest } from "./fact-digest.ts";

/**
 * How a conversation is shown after compaction. The stored messages do not change. The last record of a conversation
 * replaces all earlier ones.
 */
export interface CompactionRecord {
  readonly strategy: "structured_extraction" | "summary";
  /** Tool results up to this message id are shown as digests, attachments as a line of text. */
  readonly clearedThrough: number;
  /** Messages up to this id are shown as `summary`; 0 when none are. */
  readonly summarisedThrough: number;
  readonly summary: string;
  /** The part of `summary` that a model wrote. */
  readonly gist: string;
  /** Verbatim facts in `summary`, carried over to the next summary. */
  readonly facts: readonly Fact[];
  /** Messages up to this id need not be loaded to show the conversation. */
  readonly hiddenThrough: number;
  /** The turns that `summary` replaces. */
  readonly turns: { readonly first: string; readonly last: string; readonly count: number } | null;
  /** Turn ids that this compaction summarised. */
  readonly leftOut: readonly string[];
  readonly beforeTokens: number;
  readonly afterTokens: number;
}

/** The compacted conversation. Byte-identical for the same record, so that the provider's prompt cache hits. */
export function shownConversation(
  stored: readonly MessageRow[],
  record: Pick<CompactionRecord, "clearedThrough" | "summarisedThrough" | "summary"> | null,
  digest: (output: unknown, key: string) => string = resultDigest,
): readonly Pick<MessageRow, "role" | "content" | "recalled">[] {
  if (record === null) return stored;
  const { clearedThrough, summarisedThrough, summary } = record;
  const kept = stored.filter(({ id }) => id > summarisedThrough);
  const shown = kept.map((message) => (message.id <= clearedThrough ? cleared(message, digest) : message));
  if (summarisedThrough === 0) return shown;
  // A turn that the summary splits must still show its user message.
  const asked =
    kept.length > 0 && kept[0]?.role !== "user"
      ? stored.findLast(({ id, role }) => role === "user" && id <= summarisedThrough)
      : undefined;
  return [{ role: "user", content: summary }, ...(asked === undefined ? [] : [asked]), ...shown];
}

function cleared(message: MessageRow, digest: (output: unknown, key: string) => string): MessageRow {
  if (message.role === "user") return { ...message, content: withoutFiles(message.content as UserContent) };
  if (message.role !== "tool") return message;
  const results = message.content as readonly ToolOutcome[];
  return {
    ...message,
    content: results.map(({ attachments: _, ...one }) => ({
      ...one,
      output: digest(one.output, `${message.turnId} ${message.id} ${one.id}`),
    })),
  };
}
