import { join } from "node:path";
import type { ProductCatalog } from "../../contract/engine/launch.ts";

/** A version of the product's catalog, in a folder that never changes. */
export interface ProductVersion {
  readonly version: number;
  readonly folder: string;
}

/** For an engine launched by a daemon of an earlier release, which stores no product catalogs. */
export const NO_CATALOGS = { folder: "/nonexistent" };

/** Null for an empty version, and with a daemon of an earlier release, which has no product catalogs. */
export function productVersion(
  catalogs: Pick<ProductCatalog, "folder"> | undefined,
  version: Pick<ProductCatalog, "version" | "digest"> | undefined,
): ProductVersion | null {
  if (catalogs === undefined || version === undefined || version.digest === null) return null;
  return { version: version.version, folder: join(catalogs.folder, version.digest) };
}
