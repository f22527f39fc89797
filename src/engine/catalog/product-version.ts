import { join } from "node:path";
import type { ProductCatalog } from "../../contract/engine-launch.ts";

/** A version of the product's catalog, in a folder that never changes. */
export interface ProductVersion {
  readonly version: number;
  readonly folder: string;
}

/** An engine that a daemon of an earlier release has launched may read none. */
export const NO_CATALOGS = { folder: "/nonexistent" };

/** Null for a version without a file, and for a daemon that knows no catalogs of products. */
export function productVersion(
  catalogs: Pick<ProductCatalog, "folder"> | undefined,
  version: Pick<ProductCatalog, "version" | "digest"> | undefined,
): ProductVersion | null {
  if (catalogs === undefined || version === undefined || version.digest === null) return null;
  return { version: version.version, folder: join(catalogs.folder, version.digest) };
}
