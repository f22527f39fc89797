/**
 * The text of an answer as it has been shown. A restart of the engine lets the model repeat what it had said last; an editor
 * cannot take text back, so only what is new of the repetition is shown.
 */
export class RepeatedText {
  readonly #blocks = new Map<number, string>();
  /** What the repetition is expected to say, and what it has said of it. */
  #expected = "";
  #said = "";

  /** The blocks from this index on are repeated. */
  replace(from: number): void {
    this.#expected = "";
    this.#said = "";
    for (const [index, text] of this.#blocks) {
      if (index < from) continue;
      this.#expected += text;
      this.#blocks.delete(index);
    }
  }

  /** Takes a piece, and returns what of it is to be shown. */
  take(block: number, piece: string): string {
    this.#blocks.set(block, (this.#blocks.get(block) ?? "") + piece);
    if (this.#expected === "") return piece;
    const said = this.#said + piece;
    if (this.#expected.startsWith(said)) {
      this.#said = said;
      if (said === this.#expected) this.replace(Infinity);
      return "";
    }
    const shown = this.#expected;
    this.replace(Infinity);
    // The model has said something else this time: it follows as a whole.
    return said.startsWith(shown) ? said.slice(shown.length) : `\n\n${said}`;
  }
}
