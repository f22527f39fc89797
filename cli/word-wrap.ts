import { isWide, width } from "./output.ts";

const FENCE = /^\s*(?:```|~~~)/;
const graphemes = new Intl.Segmenter();

/**
 * Wraps streamed text between words at the terminal's width. A word is buffered until it is complete. A wide character
 * is a word of its own. Lines of fenced code are not wrapped.
 */
export class WordWrap {
  readonly #columns: () => number;
  #column = 0;
  #space = "";
  #word = "";
  /** The start of the current line, to detect a fence. */
  #head = "";
  #inCode = false;

  constructor(columns: () => number) {
    this.#columns = columns;
  }

  /** The text that can be printed now. */
  push(text: string): string {
    let out = "";
    for (const [token] of text.matchAll(/\n|[^\S\n]+|\S+/g)) {
      if (token === "\n") out += `${this.flush()}\n${this.#newLine()}`;
      else if (token.trim() === "") {
        out += this.#takeWord();
        this.#space += token;
      } else {
        for (const { segment } of graphemes.segment(token)) out += this.#add(segment);
      }
    }
    return out;
  }

  /** The buffered rest at the end of a text. */
  flush(): string {
    const out = this.#takeWord();
    this.#space = "";
    return out;
  }

  #add(segment: string): string {
    const wide = isWide(segment);
    const before = wide ? this.#takeWord() : "";
    this.#word += segment;
    return wide || this.#word.length > this.#columns() ? before + this.#takeWord() : before;
  }

  #takeWord(): string {
    if (this.#word === "") return "";
    const [word, space, columns] = [this.#word, this.#space, this.#columns()];
    this.#word = this.#space = "";
    if (this.#head.length < 20) this.#head += space + word;
    const added = width(space) + width(word);
    // Text without a space before it continues a word that is longer than a line.
    const stays = this.#inCode || this.#column === 0 || (space === "" && !isWide(word));
    if (stays || this.#column + added <= columns) {
      this.#column += added;
      return space + word;
    }
    this.#column = width(word);
    return `\n${word}`;
  }

  #newLine(): "" {
    if (FENCE.test(this.#head)) this.#inCode = !this.#inCode;
    this.#head = "";
    this.#column = 0;
    return "";
  }
}
