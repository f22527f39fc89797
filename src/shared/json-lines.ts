const SPACE = /[ \t\n\r]*/y;
/** ASCII text without control characters. */
const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const OTHER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const MAX_DEPTH = 500;

export interface JsonLines {
  /** The line of a field, or of its deepest existing parent. Lines count from 1. */
  readonly lineOf: (path: readonly string[]) => number;
  /** The line of the first syntax error; null if the text is JSON. */
  readonly errorLine: number | null;
}

/** Finds the lines of fields in a JSON text, for error messages. `JSON.parse` reports no positions. */
export function jsonLines(text: string): JsonLines {
  let scanned: Scanned | undefined;
  const scan = () => (scanned ??= new Scanner(text).scan());
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  return {
    lineOf(path) {
      for (let length = path.length; length > 0; length--) {
        const offset = scan().offsets.get(JSON.stringify(path.slice(0, length)));
        if (offset !== undefined) return lineAt(offset);
      }
      return 1;
    },
    get errorLine() {
      const { error } = scan();
      return error === null ? null : lineAt(error);
    },
  };
}

interface Scanned {
  /** Where each field's name or list's item starts, by its path as JSON. */
  readonly offsets: ReadonlyMap<string, number>;
  /** The offset of the first syntax error; null without one. */
  readonly error: number | null;
}

class SyntaxFound extends Error {}

class Scanner {
  readonly #offsets = new Map<string, number>();
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): Scanned {
    const offsets = this.#offsets;
    try {
      this.#value([]);
      this.#skip();
      return { offsets, error: this.#at === this.#text.length ? null : this.#at };
    } catch (error) {
      if (error instanceof SyntaxFound) return { offsets, error: this.#at };
      throw error;
    }
  }

  #value(path: readonly string[]): void {
    this.#skip();
    if (path.length > MAX_DEPTH) throw new SyntaxFound();
    if (this.#text[this.#at] === "{") this.#list("}", () => this.#field(path));
    else if (this.#text[this.#at] === "[") {
      let index = 0;
      this.#list("]", () => {
        const item = [...path, String(index++)];
        this.#offsets.set(JSON.stringify(item), this.#at);
        this.#value(item);
      });
    } else if (this.#match(STRING) === null) this.#expect(OTHER);
  }

  #field(path: readonly string[]): void {
    const start = this.#at;
    const name = [...path, JSON.parse(this.#expect(STRING)) as string];
    this.#offsets.set(JSON.stringify(name), start);
    this.#skip();
    this.#character(":");
    this.#value(name);
  }

  #list(end: string, part: () => void): void {
    this.#at++;
    this.#skip();
    if (this.#text[this.#at] !== end) {
      for (;;) {
        part();
        this.#skip();
        if (this.#text[this.#at] !== ",") break;
        this.#at++;
        this.#skip();
      }
    }
    this.#character(end);
  }

  #skip(): void {
    this.#match(SPACE);
  }

  #character(expected: string): void {
    if (this.#text[this.#at] !== expected) throw new SyntaxFound();
    this.#at++;
  }

  #expect(pattern: RegExp): string {
    const found = this.#match(pattern);
    if (found === null) throw new SyntaxFound();
    return found;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    this.#at += found?.length ?? 0;
    return found;
  }
}
