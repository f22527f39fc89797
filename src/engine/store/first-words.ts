/** Characters of a title that is made of a message. The migration of older stores cuts at the same length. */
const MAX_LENGTH = 60;

/** The title of a task before a person or a model has given one: the first words of its first message. */
export function firstWords(message: string): string {
  const words = message.slice(0, 1000).toWellFormed().replaceAll(/\s+/g, " ").trim();
  if (words.length <= MAX_LENGTH) return words;
  const start = words.slice(0, MAX_LENGTH - 1).toWellFormed();
  const cut = start.lastIndexOf(" ");
  return `${cut > 0 ? start.slice(0, cut) : start}…`;
}
