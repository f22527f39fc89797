import { readFile } from "node:fs/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { CliFailure } from "./exit-codes.ts";
import { readLine } from "./terminal.ts";

/** A file as it is, or with `-` standard input. */
export async function readInput(path: string): Promise<string> {
  try {
    return path === "-" ? await text(process.stdin) : await readFile(path, "utf8");
  } catch (error) {
    throw new CliFailure("usage", `${path} cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
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
  process.stderr.write(question);
  const reply = await replied;
  process.stderr.write("\n");
  if (reply.kind === "interrupted") throw new CliFailure("interrupted", "interrupted");
  return reply.kind === "line" ? reply.text.trim() || null : null;
}
