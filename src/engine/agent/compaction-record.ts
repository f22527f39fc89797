import type { ToolOutcome } from "../model/model-provider.ts";
import type { PlacedMessage } from "./conversation-units.ts";
import { type Fact, resultDigest } from "./fact-digest.ts";

/**
 * How a conversation is shown since it was made smaller. The messages themselves stay as they are in the store; the
 * last record of a conversation holds, and it holds whole.
 */
export interface CompactionRecord {
  readonly strategy: "structured_extraction" | "summary";
  /** Results of tools up to this message are shown as what they named. */
  readonly clearedThrough: number;
  /** Messages up to this one are shown as `summary`; 0 when none are. */
  readonly summarisedThrough: number;
  readonly summary: string;
  /** The part of `summary` that a model wrote. */
  readonly gist: string;
  /** What `summary` has word for word, for the next one to keep. */
  readonly facts: readonly Fact[];
  /** Messages up to this one are not needed to show the conversation. */
  readonly hiddenThrough: number;
  /** The turns that `summary` stands for: how many in all, and those that this record left out. */
  readonly turns: { readonly first: string; readonly last: string; readonly count: number } | null;
  readonly leftOut: readonly string[];
  readonly beforeTokens: number;
  readonly afterTokens: number;
}

/** The conversation as it is shown: the same bytes as long as the record is the same, so that the provider's cache hits. */
export function shownConversation(
  stored: readonly PlacedMessage[],
  record: Pick<CompactionRecord, "clearedThrough" | "summarisedThrough" | "summary"> | null,
  digest: (output: unknown, key: string) => string = resultDigest,
): readonly Pick<PlacedMessage, "role" | "content" | "recalled">[] {
  if (record === null) return stored;
  const { clearedThrough, summarisedThrough, summary } = record;
  const kept = stored.filter(({ id }) => id > summarisedThrough);
  const shown = kept.map((message) => (message.id <= clearedThrough ? cleared(message, digest) : message));
  if (summarisedThrough === 0) return shown;
  // A turn that was cut in its middle must still know what it was asked.
  const asked =
    kept.length > 0 && kept[0]?.role !== "user"
      ? stored.findLast(({ id, role }) => role === "user" && id <= summarisedThrough)
      : undefined;
  return [{ role: "user", content: summary }, ...(asked === undefined ? [] : [asked]), ...shown];
}

function cleared(message: PlacedMessage, digest: (output: unknown, key: string) => string): PlacedMessage {
  if (message.role !== "tool") return message;
  const results = message.content as readonly ToolOutcome[];
  return {
    ...message,
    content: results.map((one) => ({
      ...one,
      output: digest(one.output, `${message.turnId} ${message.id} ${one.id}`),
    })),
  };
}
