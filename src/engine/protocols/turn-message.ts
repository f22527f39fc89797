/** What stands for the rest of a message in the record of its turn. */
const CUT = "…";

/** Two texts are the same but for white space, which clients and separators of parts change. */
export const plain = (text: string): string => text.replace(/\s+/g, "");

/** Whether a turn, by the message of its record, has begun with this text. A record has the beginning of a long one. */
export function isMessageOf(text: string, recorded: string): boolean {
  if (plain(recorded) === plain(text)) return true;
  // The cut may have gone through a character.
  const beginning = recorded.endsWith(CUT) ? recorded.slice(0, -CUT.length).replace(/\uFFFD$/, "") : "";
  return beginning !== "" && text.length >= recorded.length && plain(text).startsWith(plain(beginning));
}
