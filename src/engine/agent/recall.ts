import type { Logger } from "../../shared/logger.ts";
import { type UserContent, writtenText } from "../attachments/user-content.ts";
import { recalledBlock } from "../memory/search/recalled-block.ts";
import type { MemorySearch } from "../memory/search/search-memory.ts";
import { textTokens } from "../model/context-window.ts";
import type { MessageRow } from "./conversation.ts";
import type { TurnContext } from "./turn-context.ts";

/** Adds matching memories to a turn's message, once, before the first model call. It never fails a turn. */
export type Recall = (context: TurnContext) => Promise<void>;

const ITEMS = 12;
const MAX_TOKENS = 4000;
const MAX_QUERY_LENGTH = 10_000;
const SHARE_OF_WINDOW = 0.05;
/** The user waits for the first token meanwhile. */
const DEADLINE_MS = 250;

export function createRecall({
  search,
  window,
  logger,
}: {
  readonly search: Pick<MemorySearch, "search">;
  /** Context window in tokens. */
  readonly window: number;
  readonly logger: Logger;
}): Recall {
  const maxTokens = Math.min(MAX_TOKENS, Math.floor(window * SHARE_OF_WINDOW));
  return async ({ log, signal, turnId }) => {
    if (!log.opensTurn) return;
    try {
      const shown = log.messages();
      const query = queryOf(shown);
      // A message may have attachments only.
      if (query.trim() === "") return;
      const hits = await search.search(
        {
          query,
          limit: ITEMS * 2,
          now: Date.now(),
          isRecall: true,
          withoutTurns: new Set([...shown.map((message) => message.turnId), ...log.rewoundTurns()]),
        },
        AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
      );
      const block = recalledBlock(hits, { items: ITEMS, tokens: maxTokens, tokensOf: textTokens });
      if (block !== null) log.recalled(block.text, block.trust);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn({ err: error, turn_id: turnId }, "failed to recall memories for a turn");
    }
  };
}

/** A short or pronominal message is searched together with the one before it. */
function queryOf(shown: readonly MessageRow[]): string {
  const asked = shown.filter(({ role }) => role === "user").map(({ content }) => writtenText(content as UserContent));
  const [before = "", last = ""] = asked.length > 1 ? asked.slice(-2) : ["", asked[0] ?? ""];
  const isShort =
    last.trim().split(/\s+/).length < 6 || /^\s*(?:it|he|she|they|that|this|these|those|and|but)\b/i.test(last);
  return (isShort ? `${last}\n${before}` : last).slice(0, MAX_QUERY_LENGTH);
}
