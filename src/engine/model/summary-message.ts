/** How the message begins that stands for the part of a conversation that was summarised. */
export const SUMMARY_OPENING = "[What came before in this conversation, shortened to make room.";

export const isSummary = (text: string): boolean => text.startsWith(SUMMARY_OPENING);

/** Said where a turn is cut in its middle: what is done of it is not to be done again. */
export const callsDone = (count: number): string =>
  `[${count} tool ${count === 1 ? "call" : "calls"} of the turn that the next message began ${count === 1 ? "has" : "have"} been made already.]`;

/** How many calls a text says have been made. */
export const readCallsDone = (text: string): number =>
  Number(/^\[(\d+) tool calls? of the turn that the next message began/m.exec(text)?.[1] ?? 0);
