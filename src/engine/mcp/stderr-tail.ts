import { stripVTControlCharacters } from "node:util";

const MAX_LINES = 10;
const MAX_LINE = 300;
/** What follows the line in which a program says why it ends. */
const TRACE = /^\s*(?:at .*|Node\.js v.*|\^+)?$/;

/** The last lines of a program's standard error, for people to read: without secrets, control characters or traces. */
export class StderrTail {
  readonly #hide: (text: string) => string;
  #lines: readonly string[] = [];
  #rest = "";

  constructor(hide: (text: string) => string) {
    this.#hide = hide;
  }

  /** Gives the lines that the chunk completes, as they were written. */
  take(chunk: string): readonly string[] {
    const lines = (this.#rest + chunk).split("\n");
    // Hidden before it is cut: half a secret would not be recognised.
    this.#rest = this.#hide(lines.pop() ?? "").slice(-4 * MAX_LINE);
    const fresh = lines.slice(-4 * MAX_LINES).flatMap((line) => this.#shown(line));
    this.#lines = [...this.#lines, ...fresh].slice(-MAX_LINES);
    return lines;
  }

  /** Another program begins. */
  clear(): void {
    this.#lines = [];
    this.#rest = "";
  }

  get lines(): readonly string[] {
    return [...this.#lines, ...this.#shown(this.#rest)].slice(-MAX_LINES);
  }

  #shown(line: string): readonly string[] {
    const plain = this.#hide(stripVTControlCharacters(line));
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
