/** First text of the message that replaces the summarised part of a conversation. */
export const SUMMARY_OPENING = "[What came before in this conversation, shortened to make room.";

export const isSummary = (text: string): boolean => text.startsWith(SUMMARY_OPENING);

/** Note for a turn that was cut by compaction: its calls must not be repeated. */
export const callsDone = (count: number): string =>
  `[The next message began a turn: ${count} of its tool calls ${count === 1 ? "is" : "are"} already done.]`;

/** Reads the count from `callsDone` text; 0 without it. */
export const readCallsDone = (text: string): number =>
  Number(/^\[The next message began a turn: (\d+) of its tool calls/m.exec(text)?.[1] ?? 0);
