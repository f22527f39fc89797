const WORDS = 40_000;
const LITTLE_WORDS = "the of and to in is was I that it for my you with on".split(" ");
const SYLLABLES = [
  "ka",
  "to",
  "mi",
  "ren",
  "sol",
  "ba",
  "lu",
  "pin",
  "ga",
  "dor",
  "ve",
  "shi",
  "nar",
  "eo",
  "qua",
  "zel",
];

/** Words as languages have them: half of them say nothing, few of the others come often, most are rare. */
export class Speech {
  readonly #words = Array.from({ length: WORDS }, (_, number) =>
    (number + 16).toString(16).replaceAll(/./g, (digit) => SYLLABLES[Number.parseInt(digit, 16)] ?? ""),
  );
  #seed = 1;

  say(length: number): string {
    return Array.from({ length }, () => this.#word()).join(" ");
  }

  #word(): string {
    if (this.#next() < 0.45) return LITTLE_WORDS[Math.floor(this.#next() * LITTLE_WORDS.length)] ?? "";
    return this.#words[Math.floor(WORDS ** this.#next()) - 1] ?? "";
  }

  /** Mulberry32. */
  #next(): number {
    this.#seed = (this.#seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}
