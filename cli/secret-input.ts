import { createReadStream } from "node:fs";
import { Writable } from "node:stream";
import { boundedText } from "./bounded-text.ts";
import { CliFailure } from "./exit-codes.ts";
import { emit } from "./output.ts";
import { readLine } from "./terminal.ts";

/** A body of a call is 1 MiB at most; escapes in its JSON can make it longer, and white space around a message. */
const MAX_INPUT_BYTES = 8 * 1024 * 1024;

/** A file as it is, or with `-` standard input. */
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

/** A secret from a file, or with `-` from standard input; a newline at its end does not belong to it. */
export async function secretFromFile(path: string): Promise<string> {
  const secret = (await readInput(path)).replace(/\r?\n$/, "");
  if (secret === "") throw new CliFailure("usage", `${path} is empty`);
  return secret;
}

/** Asks for a secret without showing it; null when there is nobody to ask. */
export async function promptSecret(question: string): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const replied = readLine({ prompt: "", output: unseen });
  // Only now the terminal has stopped to echo: who sees the question may type.
  emit(process.stderr, question);
  const reply = await replied;
  emit(process.stderr, "\n");
  if (reply.kind === "interrupted") throw new CliFailure("interrupted", "interrupted");
  return reply.kind === "line" ? reply.text.trim() || null : null;
}
