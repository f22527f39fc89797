import { NOT_ISOLATED } from "../../../contract/engine/launch-file.ts";
import type { EngineLaunch } from "../../../contract/engine/launch.ts";
import type { LaunchOrder } from "../engine-backend.ts";

/** The port of every engine in its container. */
export const PORT = 8080;
export const DATA_DIR = "/data";
/** Where the engine reads its product's catalog. */
export const CATALOGS = "/catalogs";
/** The user of the image. */
export const USER = 65_532;

/** On what runs an engine. They prove whose it is (I3 identity before signal). */
export const LABELS = {
  deployment: "orchd.deployment",
  engine: "orchd.engine",
  incarnation: "orchd.incarnation",
} as const;

export const engineLabels = (
  deployment: string,
  { engine_id: engine, incarnation }: Pick<EngineLaunch, "engine_id" | "incarnation">,
  valueOf = (text: string): string => text,
): Record<string, string> => ({
  [LABELS.deployment]: valueOf(deployment),
  [LABELS.engine]: valueOf(engine),
  [LABELS.incarnation]: valueOf(incarnation),
});

/** The launch file as the engine reads it in its container. `certificates`: the path of a PEM bundle there. */
export const containerLaunch = ({ launch, catalog }: LaunchOrder, certificates: string | null): EngineLaunch => ({
  ...launch,
  host: "0.0.0.0",
  port: PORT,
  data_dir: DATA_DIR,
  ...(catalog && { product_catalog: { folder: CATALOGS, version: catalog.version, digest: catalog.digest } }),
  extra_ca_certs: certificates,
  isolation: NOT_ISOLATED,
});
