import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { bundlePrograms } from "./make-bundles.ts";
import { makeDocuments } from "./make-documents.ts";
import { makeManPage } from "./make-man-page.ts";

/**
 * Fills `dist/`: the programs, which report `version`, the documents of the interfaces, and the manual. Returns the files that the
 * programs were made of, relative to the checkout.
 */
export async function makeDist(folder: string, version: string = manifest.version): Promise<ReadonlySet<string>> {
  const [sources] = await Promise.all([
    bundlePrograms(folder, version),
    makeDocuments(join(folder, "documents")),
    makeManPage(join(folder, "man"), version),
  ]);
  return sources;
}
