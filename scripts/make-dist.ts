import { cp, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { bundlePrograms } from "./make-bundles.ts";
import { makeConsole } from "./make-console.ts";
import { makeDocuments } from "./make-documents.ts";
import { makeEmptyStore } from "./make-empty-store.ts";
import { makeManPage } from "./make-man-page.ts";
import { makeSnapshots } from "./snapshot/make-snapshots.ts";

/** In `dist/`: the files that the programs and the console were made of, relative to the checkout. */
export const SOURCES = "sources.json";

/**
 * Fills `dist/`: the programs, which report `version`, the engine's snapshots and its empty store, the documents of the interfaces, the
 * manual, the related words of memories, and the console.
 */
export async function makeDist(folder: string, version: string = manifest.version): Promise<void> {
  const words = cp(resolve(import.meta.dirname, "../data/word-vectors"), join(folder, "word-vectors"), {
    recursive: true,
  });
  const texts = [words, makeDocuments(join(folder, "documents")), makeManPage(join(folder, "man"), version)];
  const [sources, modules] = await Promise.all([
    makePrograms(folder, version),
    makeConsole(join(folder, "console")),
    ...texts,
  ]);
  await writeFile(join(folder, SOURCES), JSON.stringify([...new Set([...sources, ...modules])]));
}

async function makePrograms(folder: string, version: string): Promise<ReadonlySet<string>> {
  const sources = await bundlePrograms(folder, version);
  makeEmptyStore(folder);
  await makeSnapshots(folder);
  return sources;
}
