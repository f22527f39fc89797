import { discardEngineFolder } from "../fleet/engine-folder.ts";
import { findEngineById } from "../store/engines.ts";
import { engineFolder, keptFolder } from "../fleet/engine-folders.ts";
import type { HostContext } from "../host-context.ts";

/** A launch makes the engine's folder: one that a destroy overtook just before must not leave it behind. */
export function removeOrphanedFolder(
  o: HostContext,
  engine: { readonly id: string; readonly product_id: string; readonly user_id: string },
): Promise<void> {
  const { id } = engine;
  return o.lanes.run(id, async () => {
    if ((await findEngineById(o.db, id)) === null)
      await discardEngineFolder(engineFolder(o, id), keptFolder(o, engine));
  });
}
