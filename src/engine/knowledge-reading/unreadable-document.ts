/** A document that cannot be read; the message is the reason, for whoever uploaded it. */
export class UnreadableDocument extends Error {
  override readonly name = "UnreadableDocument";
}
