import { Lexer, type Token, type TokensList } from "marked";

/** Blocks within blocks, and marks within marks. What is deeper stays as it was written. */
const MAX_DEPTH = 12;
/** Characters of one run of text. The time for its marks grows with its square. */
const MAX_RUN = 5000;

/** Reads Markdown in a time and a depth that no text can exceed. */
export class BoundedLexer extends Lexer {
  #depth = 0;

  override blockTokens(src: string, tokens?: Token[], isCut?: boolean): Token[];
  override blockTokens(src: string, tokens: TokensList, isCut?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], isCut = false): Token[] {
    return this.#within(src, tokens, () => super.blockTokens(src, tokens, isCut));
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length > MAX_RUN) return asWritten(src, tokens);
    return this.#within(src, tokens, () => super.inlineTokens(src, tokens));
  }

  #within(src: string, tokens: Token[], read: () => Token[]): Token[] {
    if (this.#depth >= MAX_DEPTH) return asWritten(src, tokens);
    this.#depth++;
    try {
      return read();
    } finally {
      this.#depth--;
    }
  }
}

function asWritten(src: string, tokens: Token[]): Token[] {
  tokens.push({ type: "text", raw: src, text: src });
  return tokens;
}
