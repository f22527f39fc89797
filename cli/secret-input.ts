import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { CliFailure } from "./exit-codes.ts";

/** A secret from a file, or with `-` from standard input; a newline at its end does not belong to it. */
export async function secretFromFile(path: string): Promise<string> {
  try {
    const secret = path === "-" ? await text(process.stdin) : await readFile(path, "utf8");
    return secret.replace(/\r?\n$/, "");
  } catch (error) {
    throw new CliFailure("usage", `${path} cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
}

/** Asks for a secret without showing it; null when there is nobody to ask. */
export async function promptSecret(question: string): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return (await lines.question("")).trim() || null;
  } finally {
    lines.close();
    process.stderr.write("\n");
  }
}

/** Yes or no from the terminal; no when there is nobody to ask. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
