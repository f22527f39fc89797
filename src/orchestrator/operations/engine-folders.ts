import { join } from "node:path";
import { sha256 } from "../../kit/secrets.ts";
import type { EngineRow } from "../store/tables.ts";
import type { Orchestration } from "./orchestration.ts";

/** Where an engine's store, workspace, catalog and log lie. */
export const engineFolder = (o: Orchestration, engineId: string): string =>
  join(o.settings.dataDir, "engines", engineId);

/** Where a user's data waits for the next engine after a destroy with `keep_data`. A user_id is no file name. */
export const keptFolder = (o: Orchestration, engine: Pick<EngineRow, "product_id" | "user_id">): string =>
  join(keptFolders(o), engine.product_id, sha256(engine.user_id));

/** Of every product, a folder each, named by the product's id. */
export const keptFolders = (o: Orchestration): string => join(o.settings.dataDir, "kept");
