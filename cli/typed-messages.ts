import { type Interface, type Key, createInterface } from "node:readline";
import { emit } from "./output.ts";

/** How a message that is written during a turn reaches the agent: Enter steers, Alt-Enter queues. */
export type SendHow = "steer" | "queue";

interface TypedMessagesParts {
  readonly onMessage: (text: string, how: SendHow) => void;
  /** Before a line is written: nothing may be printed until `release`. */
  readonly hold: () => void;
  readonly release: () => void;
}

const PROMPT = "» ";

/** Reads what a person types while a turn runs. Ctrl-C stays a signal, but discards a line that is being written. */
export class TypedMessages {
  readonly #parts: TypedMessagesParts;
  #lines: Interface | null = null;
  #isWriting = false;

  constructor(parts: TypedMessagesParts) {
    this.#parts = parts;
  }

  /** A prompt of another kind must be closed first: both read the same terminal. */
  open(): void {
    if (this.#lines !== null) return;
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: true, prompt: PROMPT });
    this.#lines = lines;
    // Before readline's own listener, so that the prompt stands before the first character.
    process.stdin.prependListener("keypress", this.#beforeKey);
    lines.on("line", (text) => this.#send(text, "steer"));
    lines.on("SIGINT", () => {
      if (this.#isWriting) this.#discard();
      else process.emit("SIGINT", "SIGINT");
    });
    lines.once("close", () => {
      process.stdin.off("keypress", this.#beforeKey);
      this.#lines = null;
      this.#end();
    });
  }

  close(): void {
    if (this.#isWriting) this.#discard();
    this.#lines?.close();
  }

  readonly #beforeKey = (text: string | undefined, key: Key): void => {
    if (key.meta === true && (key.name === "return" || key.name === "enter")) {
      const written = this.#lines?.line ?? "";
      this.#clear();
      if (this.#isWriting) emit(process.stderr, "\n");
      this.#send(written, "queue");
    } else if (key.name === "escape") {
      if (this.#isWriting) this.#discard();
    } else if (!this.#isWriting && text !== undefined && isPrintable(text, key)) {
      this.#isWriting = true;
      this.#parts.hold();
      this.#lines?.prompt();
    } else if (this.#isWriting) {
      // After readline has removed the last character.
      setImmediate(() => {
        if (this.#isWriting && this.#lines?.line === "") this.#discard();
      });
    }
  };

  #send(text: string, how: SendHow): void {
    this.#end();
    if (text.trim() !== "") this.#parts.onMessage(text.trim(), how);
  }

  #discard(): void {
    this.#clear();
    emit(process.stderr, "\n");
    this.#end();
  }

  /** Empties the line as Ctrl-E and Ctrl-U do. */
  #clear(): void {
    for (const name of ["e", "u"]) this.#lines?.write(null, { ctrl: true, name });
  }

  #end(): void {
    if (!this.#isWriting) return;
    this.#isWriting = false;
    this.#parts.release();
  }
}

const isPrintable = (text: string, { ctrl = false, meta = false }: Key): boolean =>
  !ctrl && !meta && /^[^\p{Cc}]/u.test(text);
