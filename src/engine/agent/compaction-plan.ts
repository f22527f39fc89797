import { outputTokensWithin } from "../model/context-window.ts";
import { valueTokens } from "../model/token-estimate.ts";
import { type PlacedMessage, type Unit, unitsOf } from "./conversation-units.ts";

/** For the answer, at the most, and for what the estimate misses. */
const MOST_FOR_OUTPUT = 20_000;
const MARGIN = 13_000;
const NEWEST_RESULTS_KEPT = 5;
/** Of the room there is: for what is kept as it is. */
const KEPT_SHARE = 0.25;

export interface ContextLimits {
  /** From here on the context is made smaller. */
  readonly compactAt: number;
  /** More than this cannot be sent. */
  readonly most: number;
}

/** In small windows, where head-room and margin would leave nothing, half of the window. */
export function contextLimits(window: number, maxOutputTokens: number): ContextLimits {
  const output = Math.min(maxOutputTokens, MOST_FOR_OUTPUT);
  return {
    compactAt: Math.max(window - output - MARGIN, Math.floor(window / 2)),
    most: window - outputTokensWithin(window, output),
  };
}

/** The message through which tools' results may be cleared: the newest few stay, and always those to be read next. */
export function clearThrough(stored: readonly PlacedMessage[], roomTokens: number): number {
  const results = stored.filter(({ role }) => role === "tool").toReversed();
  let left = roomTokens * KEPT_SHARE;
  let kept = 0;
  for (const { content } of results) {
    left -= valueTokens(content);
    if (kept > 0 && (left < 0 || kept >= NEWEST_RESULTS_KEPT)) break;
    kept++;
  }
  return results[kept]?.id ?? 0;
}

/**
 * The message through which a conversation is summarised: behind it stay as many whole turns as the room for them
 * allows; of a turn that is larger, its newest steps. Null when nothing can be left out.
 */
export function cutThrough(stored: readonly PlacedMessage[], roomTokens: number): number | null {
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

const tokensOf = (unit: Unit | undefined): number =>
  (unit?.messages ?? []).reduce((sum, { content }) => sum + valueTokens(content), 0);
