/** The public id of a message is the number of its first stored part: numbers rise, and none is used again. */
export const messageId = (id: number): string => `msg_${id}`;

/** Null for a text that is no id of a message. */
export function messageNumber(text: string): number | null {
  const digits = /^msg_(\d{1,15})$/.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}
