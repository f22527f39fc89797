import type { EngineLaunch, ProductCatalog } from "../../../contract/engine/launch.ts";
import type { EngineIsolation } from "../../../contract/engine/launch-file.ts";
import type { LaunchOrder } from "../engine-backend.ts";
import { engineFolder } from "../folders/engine-folder.ts";

/** The launch parameters of all engines of this machine. */
export interface MachineParameters {
  /** Holds the folders of the engines. */
  readonly dataDir: string;
  /** The address that engines listen on. */
  readonly host: string;
  readonly isolation: EngineIsolation;
  /** MiB that engines leave free on the disk of the data folder. Omitted: none. */
  readonly diskReserveMb?: number;
  /** The folder of a product's catalog. */
  readonly catalogFolder: (productId: string) => string;
  /** The path of a PEM bundle. */
  readonly extraCaCerts: string | null;
}

/** A launch order with the paths and the address of this machine. */
export interface ProcessOrder extends LaunchOrder {
  readonly launch: EngineLaunch;
}

export const processOrder = (
  order: LaunchOrder,
  { dataDir, host, isolation, diskReserveMb, extraCaCerts, catalogFolder }: MachineParameters,
): ProcessOrder => ({
  ...order,
  launch: {
    ...order.launch,
    host,
    data_dir: engineFolder(dataDir, order.launch.engine_id),
    ...(order.catalog && { product_catalog: catalogOf(order.catalog, catalogFolder) }),
    ...(diskReserveMb !== undefined && { disk_reserve_mb: diskReserveMb }),
    isolation,
    extra_ca_certs: extraCaCerts,
  },
});

const catalogOf = (
  { productId, version, digest }: NonNullable<LaunchOrder["catalog"]>,
  folderOf: MachineParameters["catalogFolder"],
): ProductCatalog => ({ folder: folderOf(productId), version, digest });
