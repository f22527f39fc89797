import { join } from "node:path";
import { sha256 } from "../../contract/api-keys.ts";

interface DataSettings {
  readonly settings: { readonly dataDir: string };
}

/** The folder of an engine's store, workspace, catalog and log. */
export const engineFolder = ({ settings }: DataSettings, engineId: string): string =>
  join(settings.dataDir, "engines", engineId);

/** The folder that keeps a user's data after a destroy with `keep_data`. A user_id is not a valid file name. */
export const keptFolder = (
  host: DataSettings,
  engine: { readonly product_id: string; readonly user_id: string },
): string => join(keptFolders(host), engine.product_id, sha256(engine.user_id));

/** Holds one folder per product, named by the product's id. */
export const keptFolders = ({ settings }: DataSettings): string => join(settings.dataDir, "kept");
