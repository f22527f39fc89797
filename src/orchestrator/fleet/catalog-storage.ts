import type { CatalogCheck, TriedCall } from "../../contract/orchestrator/catalog.ts";

/** An archive that was unpacked and checked. Its files are removed when it is disposed, unless they have been placed. */
export interface StagedCatalog extends AsyncDisposable {
  readonly check: CatalogCheck;
  /** The digest of its files. */
  readonly digest: string;
  /** Keeps the files for the engines of the product. */
  place(productId: string): Promise<void>;
}

/**
 * The files of products' catalogs where engines run, by product and digest. They never change. The database has the
 * archives that they are made from.
 */
export interface CatalogStorage {
  /** Whether running engines see files that are placed later. Otherwise engines see them at their next start. */
  readonly reloads: boolean;
  /** Unpacks and checks a tar.gz archive, and judges a call by its rules. */
  stage(archive: Uint8Array, tried?: TriedCall | null): Promise<StagedCatalog>;
  /** Makes sure that the files of a digest are there and unchanged. `load` gives their archive. */
  ensure(productId: string, digest: string, load: () => Promise<Uint8Array>): Promise<void>;
  /** Removes files that have not been in use for a day. `inUse` has the digests by product. */
  collect(inUse: ReadonlyMap<string, ReadonlySet<string>>, now: number): Promise<void>;
  /** Removes the files of a product. */
  erase(productId: string): Promise<void>;
}
