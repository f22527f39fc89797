import type { CatalogChanges, CatalogFile } from "./catalog.ts";
import { sha256 } from "./api-keys.ts";

/** The digest of a catalog's files. It does not depend on the archive. */
export const catalogDigest = (files: readonly CatalogFile[]): string =>
  sha256(
    byPath(files)
      .map(({ path, sha256: hash, executable }) => `${hash} ${executable ? "x" : "-"} ${path}\n`)
      .join(""),
  );

export const byPath = (files: readonly CatalogFile[]): readonly CatalogFile[] =>
  files.toSorted((left, right) => (left.path < right.path ? -1 : 1));

export function catalogChanges(before: readonly CatalogFile[], after: readonly CatalogFile[]): CatalogChanges {
  const identity = (files: readonly CatalogFile[]) =>
    new Map(byPath(files).map(({ path, sha256: hash, executable }) => [path, `${hash} ${executable}`]));
  const [old, now] = [identity(before), identity(after)];
  return {
    added: [...now.keys()].filter((path) => !old.has(path)),
    changed: [...now].filter(([path, is]) => old.has(path) && old.get(path) !== is).map(([path]) => path),
    removed: [...old.keys()].filter((path) => !now.has(path)),
  };
}
