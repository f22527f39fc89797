import type { Logger } from "../../shared/logger.ts";
import { type UserContent, writtenText } from "../attachments/user-content.ts";
import { recalledBlock } from "../memory/search/recalled-block.ts";
import { EMPTY_PROFILE, profileIn } from "../memory/profile/profile-block.ts";
import type { MemorySearch } from "../memory/search/search-memory.ts";
import { TRUST } from "../memory/trust.ts";
import { textTokens } from "../model/context-window.ts";
import type { MessageRow } from "./conversation.ts";
import type { TurnContext } from "./turn-context.ts";

/**
 * Adds the profile page and matching memories to a turn's message, once, before the first model call. It never fails a
 * turn.
 */
export type Recall = (context: TurnContext) => Promise<void>;

const ITEMS = 12;
const MAX_TOKENS = 4000;
const MAX_QUERY_LENGTH = 10_000;
const SHARE_OF_WINDOW = 0.05;
/** The user waits for the first token meanwhile. */
const DEADLINE_MS = 250;

export function createRecall({
  search,
  profile,
  window,
  logger,
}: {
  readonly search: Pick<MemorySearch, "search">;
  /** The profile page as a model reads it; null when it is empty. */
  readonly profile: () => string | null;
  /** Context window in tokens. */
  readonly window: number;
  readonly logger: Logger;
}): Recall {
  const maxTokens = Math.min(MAX_TOKENS, Math.floor(window * SHARE_OF_WINDOW));
  return async ({ log, signal, turnId }) => {
    if (!log.opensTurn) return;
    try {
      const shown = log.messages();
      const page = pageFor(shown, profile());
      const query = queryOf(shown);
      // A message may have attachments only.
      const hits =
        query.trim() === ""
          ? []
          : await search.search(
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
      const texts = [...(page === null ? [] : [page]), ...(block === null ? [] : [block.text])];
      if (texts.length > 0) log.recalled(texts.join("\n"), block?.trust ?? TRUST.user);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn({ err: error, turn_id: turnId }, "failed to recall memories for a turn");
    }
  };
}

/**
 * The page to show with this message: null if the conversation has it already. Earlier messages stay as they were, so that
 * the provider's prompt cache hits.
 */
function pageFor(shown: readonly MessageRow[], current: string | null): string | null {
  const last = shown.flatMap(({ recalled = "" }) => profileIn(recalled) ?? []).at(-1) ?? null;
  if (current === last || (current === null && last === EMPTY_PROFILE)) return null;
  return current ?? EMPTY_PROFILE;
}

/** A short or pronominal message is searched together with the one before it. */
function queryOf(shown: readonly MessageRow[]): string {
  const asked = shown.filter(({ role }) => role === "user").map(({ content }) => writtenText(content as UserContent));
  const [before = "", last = ""] = asked.length > 1 ? asked.slice(-2) : ["", asked[0] ?? ""];
  const isShort =
    last.trim().split(/\s+/).length < 6 || /^\s*(?:it|he|she|they|that|this|these|those|and|but)\b/i.test(last);
  return (isShort ? `${last}\n${before}` : last).slice(0, MAX_QUERY_LENGTH);
}
