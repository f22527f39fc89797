import { GrowingBytes } from "./growing-bytes.ts";

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACES: readonly (number | undefined)[] = [0x20, 0x09, 0x0a, 0x0d];
/** Of a wanted field. Those that bound a call are short, but for the schema of its answer. */
const MAX_FIELD_BYTES = 4 * 1024 ** 2;
/** More are no model call. */
const MAX_FIELDS = 1000;

/**
 * Reads fields of a JSON object that passes in chunks, without parsing the conversation. Nothing is known of what is no
 * object, or names a field twice: a provider could read another field than this does.
 */
export class TopLevelFields {
  readonly #wanted: ReadonlySet<string>;
  readonly #fields = new Map<string, unknown>();
  readonly #seen = new Set<string>();
  #depth = 0;
  /** The field whose value passes. */
  #key: string | null = null;
  #isInString = false;
  /** Backslashes at the end of the last chunk, within a string. */
  #backslashes = 0;
  /** What is kept of a name or a wanted value, from earlier chunks. Null: nothing is. */
  #kept: GrowingBytes | null = null;
  #state: "passing" | "whole" | "broken" = "passing";

  constructor(wanted: ReadonlySet<string>) {
    this.#wanted = wanted;
  }

  /** Null until the object has passed, and for what is none. */
  get fields(): ReadonlyMap<string, unknown> | null {
    return this.#state === "whole" ? this.#fields : null;
  }

  see(chunk: Buffer): void {
    if (this.#state !== "passing") return;
    try {
      this.#see(chunk);
    } catch {
      // A name or a value is no JSON.
      this.#state = "broken";
    }
  }

  #see(chunk: Buffer): void {
    /** Where in this chunk what is kept begins. */
    let from = 0;
    for (let at = 0; at < chunk.length && this.#state === "passing"; at++) {
      if (this.#isInString) {
        const end = this.#endOfString(chunk, at);
        if (end === -1) break;
        at = end;
        this.#isInString = false;
        if (this.#depth === 1 && this.#key === null) this.#name(JSON.parse(this.#take(chunk, from, at + 1)) as string);
        continue;
      }
      const byte = chunk[at];
      if (byte === QUOTE) {
        this.#isInString = true;
        this.#backslashes = 0;
        if (this.#depth !== 1 || this.#key !== null) continue;
        this.#kept = new GrowingBytes();
        from = at;
      } else if (byte === COLON && this.#depth === 1) {
        if (this.#key === null || !this.#wanted.has(this.#key)) continue;
        this.#kept = new GrowingBytes();
        from = at + 1;
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        if (this.#depth++ === 0 && byte === OPEN_LIST) this.#state = "broken";
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        if (--this.#depth > 0) continue;
        this.#finish(chunk, from, at);
        if (this.#state === "passing") this.#state = this.#depth === 0 ? "whole" : "broken";
      } else if (byte === COMMA && this.#depth === 1) this.#finish(chunk, from, at);
      else if (this.#depth === 0 && !SPACES.includes(byte)) this.#state = "broken";
    }
    if (this.#kept !== null && this.#state === "passing") this.#keep(chunk.subarray(from));
  }

  #name(key: string): void {
    if (this.#seen.has(key) || this.#seen.size === MAX_FIELDS) this.#state = "broken";
    this.#seen.add(key);
    this.#key = key;
  }

  #finish(chunk: Buffer, from: number, at: number): void {
    if (this.#key !== null && this.#wanted.has(this.#key))
      this.#fields.set(this.#key, JSON.parse(this.#take(chunk, from, at)));
    this.#key = null;
  }

  #keep(bytes: Buffer): void {
    this.#kept?.append(bytes);
    if ((this.#kept?.length ?? 0) > MAX_FIELD_BYTES) this.#state = "broken";
  }

  #take(chunk: Buffer, from: number, to: number): string {
    this.#keep(chunk.subarray(from, to));
    const text = this.#kept?.bytes.toString("utf8") ?? "";
    this.#kept = null;
    return text;
  }

  /** The closing quote; -1 when it is in a later chunk. A quote after an odd number of backslashes belongs to the string. */
  #endOfString(chunk: Buffer, from: number): number {
    for (let quote = chunk.indexOf(QUOTE, from); quote !== -1; quote = chunk.indexOf(QUOTE, quote + 1))
      if (this.#backslashesBefore(chunk, from, quote) % 2 === 0) return quote;
    this.#backslashes = this.#backslashesBefore(chunk, from, chunk.length);
    return -1;
  }

  #backslashesBefore(chunk: Buffer, from: number, at: number): number {
    let before = at;
    while (before > from && chunk[before - 1] === BACKSLASH) before--;
    return at - before + (before === from && from === 0 ? this.#backslashes : 0);
  }
}
