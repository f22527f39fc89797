import { stripVTControlCharacters } from "node:util";

const MAX_LINES = 10;
const MAX_LINE = 300;
/** Stack frames, caret lines and the Node.js version that follow the error line. */
const TRACE = /^\s*(?:at .*|Node\.js v.*|\^+)?$/;

/** The last lines of a program's standard error, without secrets, control characters or stack traces. */
export class StderrTail {
  readonly #redact: (text: string) => string;
  #lines: readonly string[] = [];
  #rest = "";

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  /** Returns the lines that the chunk completes, unchanged. */
  take(chunk: string): readonly string[] {
    const lines = (this.#rest + chunk).split("\n");
    // Redact before truncating: half a secret would not match.
    this.#rest = this.#redact(lines.pop() ?? "").slice(-4 * MAX_LINE);
    const fresh = lines.slice(-4 * MAX_LINES).flatMap((line) => this.#format(line));
    this.#lines = [...this.#lines, ...fresh].slice(-MAX_LINES);
    return lines;
  }

  clear(): void {
    this.#lines = [];
    this.#rest = "";
  }

  get lines(): readonly string[] {
    return [...this.#lines, ...this.#format(this.#rest)].slice(-MAX_LINES);
  }

  #format(line: string): readonly string[] {
    const plain = this.#redact(stripVTControlCharacters(line));
    if (TRACE.test(plain)) return [];
    return [
      plain
        .toWellFormed()
        .replaceAll(/[\s\p{C}]+/gu, " ")
        .trim()
        .slice(0, MAX_LINE)
        .toWellFormed(),
    ];
  }
}
