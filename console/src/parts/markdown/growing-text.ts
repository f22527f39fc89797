import type { Links, Token } from "marked";
import { BoundedLexer } from "./bounded-lexer.ts";
import { settleEnd } from "./settle-end.ts";

/** Longer texts are shown as they were written. */
const MAX_TEXT = 200_000;

/** The blocks of a text that grows. Each part of it is read again only while its block is the last one. */
export class GrowingText {
  /** Blocks that more text does not change: the same objects at the next read. */
  readonly closed: Token[] = [];
  /** The text of the closed blocks. */
  #read = "";
  #links: Links = {};

  /** The blocks after the closed ones. */
  grow(text: string): readonly Token[] {
    if (text.length > MAX_TEXT || !text.startsWith(this.#read)) this.#restart();
    if (text.length > MAX_TEXT) return wholeText(text);
    // The lexer would leave them out, and the blocks would be shorter than the text that was read.
    const blocks = this.#lex(text.slice(this.#read.length).replaceAll("\r", " "));
    const last = blocks.findLastIndex(({ type }) => type !== "space");
    const closed = blocks.slice(0, Math.max(0, last));
    this.closed.push(...closed);
    const length = closed.reduce((sum, { raw }) => sum + raw.length, this.#read.length);
    this.#read = text.slice(0, length);
    const open = blocks[last];
    return open === undefined || open.type === "code" ? blocks.slice(closed.length) : this.#lex(settleEnd(open.raw));
  }

  #lex(text: string): readonly Token[] {
    const lexer = new BoundedLexer({ gfm: true });
    Object.assign(lexer.tokens.links, this.#links);
    const blocks = lexer.lex(text);
    this.#links = lexer.tokens.links;
    return blocks;
  }

  #restart(): void {
    this.closed.length = 0;
    this.#read = "";
    this.#links = {};
  }
}

/** The blocks of a text that is complete. */
export const blocksOf = (text: string): readonly Token[] =>
  text.length > MAX_TEXT ? wholeText(text) : new BoundedLexer({ gfm: true }).lex(text);

const wholeText = (text: string): readonly Token[] => [{ type: "text", raw: text, text }];
