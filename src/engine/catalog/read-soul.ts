import { BadEntry, type EntryProblem } from "./catalog-entry.ts";
import { CatalogFolder } from "./catalog-folder.ts";
import type { CatalogFolders } from "./catalog.ts";
import { type CoreSoul, SHIPPED_CORE_SOUL, SHIPPED_CORE_SOUL_HASH, parseCoreSoul } from "./core-soul.ts";
import { PRODUCT_PREFIX } from "./read-layer.ts";

const SOUL_FILE = "core-soul.md";
const MAX_SOUL_BYTES = 64 * 1024;

/** The engine's core soul, else the product's, else the shipped one. An invalid one is a problem and left out. */
export async function readSoul(
  folders: CatalogFolders,
): Promise<{ readonly soul: CoreSoul; readonly problems: readonly EntryProblem[] }> {
  const problems: EntryProblem[] = [];
  let soul: CoreSoul | null = null;
  for (const [prefix, folder] of [
    ["", folders.engine],
    [PRODUCT_PREFIX, folders.product],
  ] as const) {
    try {
      const text = folder === null ? null : await (await CatalogFolder.open(folder))?.text(SOUL_FILE, MAX_SOUL_BYTES);
      if (typeof text === "string") soul ??= parseCoreSoul(text);
    } catch (error) {
      if (!(error instanceof BadEntry)) throw error;
      problems.push(...error.problems(prefix + SOUL_FILE));
    }
  }
  return { soul: soul ?? parseCoreSoul(SHIPPED_CORE_SOUL, SHIPPED_CORE_SOUL_HASH), problems };
}
