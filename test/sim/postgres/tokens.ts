import type { Select } from "./syntax.ts";

/** A word is lower case unless it was quoted. */
export interface Token {
  readonly kind: "word" | "quoted" | "number" | "text" | "parameter" | "symbol" | "end";
  readonly value: string;
}

const PATTERN =
  /\s+|--[^\n]*|(?<word>[A-Za-z_][\w$]*)|"(?<quoted>(?:[^"]|"")*)"|(?<number>\d+(?:\.\d+)?)|'(?<text>(?:[^']|'')*)'|\$(?<parameter>\d+)|(?<symbol>::|->>|->|<=|>=|<>|!=|\|\||&&|[-+*/%=<>()[\],;.&])/y;

/** The tokens of a statement, with one of kind `end` as the last. Throws for what PostgreSQL's model does not know. */
export function tokenize(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  PATTERN.lastIndex = 0;
  while (PATTERN.lastIndex < sql.length) {
    const at = PATTERN.lastIndex;
    const found = PATTERN.exec(sql)?.groups;
    if (found === undefined) throw new Error(`the model of PostgreSQL cannot read: ${sql.slice(at, at + 40)}`);
    if (found["word"] !== undefined) tokens.push({ kind: "word", value: found["word"].toLowerCase() });
    else if (found["quoted"] !== undefined)
      tokens.push({ kind: "quoted", value: found["quoted"].replaceAll('""', '"') });
    else if (found["number"] !== undefined) tokens.push({ kind: "number", value: found["number"] });
    else if (found["text"] !== undefined) tokens.push({ kind: "text", value: found["text"].replaceAll("''", "'") });
    else if (found["parameter"] !== undefined) tokens.push({ kind: "parameter", value: found["parameter"] });
    else if (found["symbol"] !== undefined) tokens.push({ kind: "symbol", value: found["symbol"] });
  }
  tokens.push({ kind: "end", value: "" });
  return tokens;
}

/** Reads tokens from the first to the last. */
export class TokenReader {
  /** Reads a query in brackets, which expressions contain. */
  readonly parseQuery: (reader: TokenReader) => Select;
  readonly #tokens: readonly Token[];
  readonly #sql: string;
  #at = 0;

  constructor(sql: string, parseQuery: (reader: TokenReader) => Select) {
    this.parseQuery = parseQuery;
    this.#sql = sql;
    this.#tokens = tokenize(sql);
  }

  peek(ahead = 0): Token {
    return this.#tokens[this.#at + ahead] ?? { kind: "end", value: "" };
  }

  next(): Token {
    const token = this.peek();
    this.#at++;
    return token;
  }

  /** Whether the next tokens are these words or symbols. */
  sees(...values: readonly string[]): boolean {
    return values.every((value, ahead) => {
      const token = this.peek(ahead);
      return (token.kind === "word" || token.kind === "symbol") && token.value === value;
    });
  }

  /** Skips these words or symbols if they are next. */
  accept(...values: readonly string[]): boolean {
    if (!this.sees(...values)) return false;
    this.#at += values.length;
    return true;
  }

  expect(...values: readonly string[]): void {
    if (!this.accept(...values)) this.fail(values.join(" "));
  }

  /** A name, quoted or not. */
  name(): string {
    const token = this.next();
    if (token.kind !== "word" && token.kind !== "quoted") this.fail("a name");
    return token.value;
  }

  isAtEnd(): boolean {
    return this.peek().kind === "end";
  }

  fail(expected: string): never {
    const rest = this.#tokens.slice(this.#at, this.#at + 6).map(({ value }) => value);
    throw new Error(`the model of PostgreSQL expected ${expected} before "${rest.join(" ")}" in: ${this.#sql}`);
  }
}
