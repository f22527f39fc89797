import { createReadStream } from "node:fs";
import { Writable } from "node:stream";
import { CliFailure } from "./exit-codes.ts";
import { emit } from "./output.ts";
import { readLine } from "./terminal.ts";

/** A request body is at most 1 MiB; JSON escapes and surrounding white space can make its source longer. */
const MAX_INPUT_BYTES = 8 * 1024 * 1024;

/** The text of a file; `-` is standard input. */
export async function readInput(path: string): Promise<string> {
  const name = path === "-" ? "standard input" : path;
  let text: string | null;
  try {
    text = await boundedText(path === "-" ? process.stdin : createReadStream(path), MAX_INPUT_BYTES);
  } catch (error) {
    throw new CliFailure("usage", `${name} cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
  if (text === null) throw new CliFailure("usage", `${name} is longer than 8 MiB`);
  return text;
}

/** A secret from a file, without a trailing newline; `-` is standard input. */
export async function secretFromFile(path: string): Promise<string> {
  const secret = (await readInput(path)).replace(/\r?\n$/, "");
  if (secret === "") throw new CliFailure("usage", `${path} is empty`);
  return secret;
}

/** Prompts for a secret without echo; null without a terminal. */
export async function promptSecret(question: string): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const pending = readLine({ prompt: "", output: unseen });
  // The prompt is printed after the echo is off.
  emit(process.stderr, question);
  const reply = await pending;
  emit(process.stderr, "\n");
  if (reply.kind === "interrupted") throw new CliFailure("interrupted", "interrupted");
  return reply.kind === "line" ? reply.text.trim() || null : null;
}

/** A stream's whole text; null, and the stream closed, if it is longer than `maxBytes`. */
async function boundedText(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | null> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    // Leaving the loop closes the stream.
    if (bytes > maxBytes) return null;
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join("") + decoder.decode();
}
