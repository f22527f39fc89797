import { join } from "node:path";
import { CatalogFolders } from "../fleet/catalog-folders.ts";
import type { HostIsolation } from "../fleet/isolation/host-isolation.ts";
import type { SealedBox } from "../store/sealed-box.ts";
import type { Config } from "./config.ts";

interface CatalogParts {
  readonly config: Config;
  readonly installDir: string;
  readonly isolation: HostIsolation;
  readonly stopping: AbortSignal;
}

/** The folders of products' catalogs below the data folder. */
export function openCatalogs(
  { config, installDir, isolation, stopping }: CatalogParts,
  box: SealedBox,
): CatalogFolders {
  const catalogs = new CatalogFolders({
    dataDir: config.dataDir,
    nodePath: process.execPath,
    program: join(installDir, "dist", "orchd-catalog.cjs"),
    confine: isolation.launch.engine,
    readable: isolation.launch.read,
    signal: stopping,
    // An unguessable name protects the folder from other engines when only file modes do.
    nameOf: (productId) => `${productId}-${box.token("catalog", productId)}`,
  });
  catalogs.discardStaged();
  return catalogs;
}
