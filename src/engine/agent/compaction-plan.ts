import { outputTokensWithin } from "../model/context-window.ts";
import { type MessageRow, type Unit, unitsOf } from "./conversation.ts";
import { attachmentsOf, storedTokens } from "./stored-tokens.ts";

/** Tokens reserved for the answer at most, and for the error of the estimate. */
const MAX_OUTPUT_RESERVE = 20_000;
const MARGIN = 13_000;
const NEWEST_RESULTS_KEPT = 5;
/** Share of the budget for messages that stay unchanged. */
const KEPT_SHARE = 0.25;

export interface ContextLimits {
  /** Token count above which the context is compacted. */
  readonly compactAt: number;
  /** Token count that a request must not exceed. */
  readonly most: number;
}

/** Small windows compact at half of the window, since output reserve and margin would leave nothing. */
export function contextLimits(window: number, maxOutputTokens: number): ContextLimits {
  const output = Math.min(maxOutputTokens, MAX_OUTPUT_RESERVE);
  return {
    compactAt: Math.max(window - output - MARGIN, Math.floor(window / 2)),
    most: window - outputTokensWithin(window, output),
  };
}

/**
 * Id of the last message whose tool results and attachments may be cleared. The newest ones stay, and always the last.
 */
export function clearThrough(stored: readonly MessageRow[], roomTokens: number): number {
  const results = stored.filter((message) => message.role === "tool" || attachmentsOf(message).length > 0).toReversed();
  let left = roomTokens * KEPT_SHARE;
  let kept = 0;
  for (const message of results) {
    left -= storedTokens([message]);
    if (kept > 0 && (left < 0 || kept >= NEWEST_RESULTS_KEPT)) break;
    kept++;
  }
  return results[kept]?.id ?? 0;
}

/**
 * Id of the last message to summarise. After it stay as many whole turns as fit; of a turn that does not fit, its newest
 * steps. Null when there is nothing to summarise.
 */
export function cutThrough(stored: readonly MessageRow[], roomTokens: number): number | null {
  const units = unitsOf(stored);
  let left = roomTokens * KEPT_SHARE;
  let first = units.length;
  for (let index = units.length - 1; index >= 0; index--) {
    left -= tokensOf(units[index]);
    if (left < 0 && first < units.length) break;
    first = index;
  }
  const turn = units.findIndex(({ opensTurn }, index) => opensTurn && index >= first);
  const cut = turn === -1 ? first : turn;
  return units[cut - 1]?.through ?? null;
}

const tokensOf = (unit: Unit | undefined): number => storedTokens(unit?.messages ?? []);
