/** First text of the message that replaces the summarised part of a conversation. */
export const SUMMARY_OPENING = "[What came before in this conversation, shortened to make room.";

export const isSummary = (text: string): boolean => text.startsWith(SUMMARY_OPENING);

/** Note for a turn that was cut by compaction: its calls must not be repeated. */
export const callsDone = (count: number): string =>
  `[${count} tool ${count === 1 ? "call" : "calls"} of the turn that the next message began ${count === 1 ? "has" : "have"} been made already.]`;

/** Reads the count from `callsDone` text; 0 without it. */
export const readCallsDone = (text: string): number =>
  Number(/^\[(\d+) tool calls? of the turn that the next message began/m.exec(text)?.[1] ?? 0);
