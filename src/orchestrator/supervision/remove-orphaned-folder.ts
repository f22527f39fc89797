import { discardEngineFolder, engineFolder, keptFolder } from "../fleet/engine-folder.ts";
import { findEngineById } from "../store/engines.ts";
import type { HostContext } from "../host-context.ts";

/** Removes the folder that a launch created while a destroy was deleting the engine. */
export function removeOrphanedFolder(
  host: Pick<HostContext, "db" | "lanes" | "settings">,
  engine: { readonly id: string; readonly product_id: string; readonly user_id: string },
): Promise<void> {
  const { id } = engine;
  return host.lanes.run(id, async () => {
    if ((await findEngineById(host.db, id)) === null)
      await discardEngineFolder(engineFolder(host, id), keptFolder(host, engine));
  });
}
