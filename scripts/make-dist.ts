import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { bundlePrograms } from "./make-bundles.ts";
import { makeConsole } from "./make-console.ts";
import { makeDocuments } from "./make-documents.ts";
import { makeManPage } from "./make-man-page.ts";
import { makeSnapshots } from "./make-snapshots.ts";

/**
 * Fills `dist/`: the programs, which report `version`, the engine's snapshots, the documents of the interfaces, the
 * manual, and the console. Returns the files that the programs were made of, relative to the checkout.
 */
export async function makeDist(folder: string, version: string = manifest.version): Promise<ReadonlySet<string>> {
  const texts = [makeDocuments(join(folder, "documents")), makeManPage(join(folder, "man"), version)];
  const [sources, modules] = await Promise.all([
    makePrograms(folder, version),
    makeConsole(join(folder, "console")),
    ...texts,
  ]);
  return new Set([...sources, ...modules]);
}

async function makePrograms(folder: string, version: string): Promise<ReadonlySet<string>> {
  const sources = await bundlePrograms(folder, version);
  await makeSnapshots(folder);
  return sources;
}
