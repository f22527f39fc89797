import { createInterface } from "node:readline";
import { emit, safe } from "./output.ts";

type Reply =
  | { readonly kind: "line"; readonly text: string }
  /** Ctrl-C. */
  | { readonly kind: "interrupted" }
  /** Ctrl-D. */
  | { readonly kind: "closed" }
  /** The signal was aborted, since no answer is needed. */
  | { readonly kind: "withdrawn" };

interface LineOptions {
  readonly prompt: string;
  readonly output?: NodeJS.WritableStream;
  /** Newest first. */
  readonly history?: string[];
  /** Receives further lines that were pasted with the first one. */
  readonly surplus?: (line: string) => void;
  /** Closes the prompt. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads one line from the terminal. Between two reads Ctrl-C is a signal again, and the kernel buffers what is typed.
 */
export function readLine({
  prompt,
  output = process.stderr,
  history = [],
  surplus,
  signal,
}: LineOptions): Promise<Reply> {
  if (signal?.aborted === true) return Promise.resolve({ kind: "withdrawn" });
  const lines = createInterface({ input: process.stdin, output, terminal: true, history });
  return new Promise((resolve) => {
    let first: string | null = null;
    lines.once("SIGINT", () => {
      resolve({ kind: "interrupted" });
      lines.close();
    });
    lines.on("line", (line) => {
      if (first !== null) return surplus?.(line);
      first = line;
      // Deferred: lines pasted with it are still being read.
      setImmediate(() => lines.close());
    });
    const withdraw = () => {
      resolve({ kind: "withdrawn" });
      lines.close();
      // Closed here, since the output that follows must not appear in the prompt's line.
      emit(output, "\n");
    };
    signal?.addEventListener("abort", withdraw, { once: true });
    lines.once("close", () => {
      signal?.removeEventListener("abort", withdraw);
      resolve(first === null ? { kind: "closed" } : { kind: "line", text: first });
    });
    lines.setPrompt(safe(prompt));
    lines.prompt();
  });
}

/** Reads lines with a history. Lines typed ahead are kept. */
export class Terminal {
  readonly #history: string[] = [];
  readonly #ahead: string[] = [];

  async ask(prompt: string, signal?: AbortSignal): Promise<Reply> {
    const ahead = this.#ahead.shift();
    if (ahead !== undefined) return { kind: "line", text: ahead.trim() };
    const surplus = (line: string) => this.#ahead.push(line);
    const reply = await readLine({ prompt, history: [...this.#history], surplus, signal });
    if (reply.kind === "withdrawn") return reply;
    if (reply.kind !== "line") {
      emit(process.stderr, "\n");
      return reply;
    }
    if (reply.text.trim() !== "") this.#history.unshift(reply.text);
    return { kind: "line", text: reply.text.trim() };
  }
}
