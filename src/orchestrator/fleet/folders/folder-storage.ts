import { join } from "node:path";
import { exists } from "../../../shared/files.ts";
import {
  discardEngineFolder,
  engineFolder,
  isRestored,
  keepEngineFolder,
  keptFolder,
  keptFolders,
  listFolder,
  prepareEngineFolder,
  removeEngineFolder,
  removedFolder,
  settleEngineFolder,
} from "./engine-folder.ts";
import type { EngineStorage } from "../engine-storage.ts";
import { readUncollected } from "./read-uncollected.ts";
import { readFolder } from "./read-folder.ts";

interface FolderStorageOptions {
  readonly dataDir: string;
  readonly nodePath: string;
  /** The program that reads an engine's folder for a backup. */
  readonly folderProgram: string;
}

/** A folder of the data folder for each engine, and one for each user whose data are kept. */
export function createFolderStorage({ dataDir, nodePath, folderProgram }: FolderStorageOptions): EngineStorage {
  const own = (engineId: string) => engineFolder(dataDir, engineId);
  const kept = keptFolders(dataDir);
  const aside = removedFolder(dataDir);
  return {
    prepare: (engine) => prepareEngineFolder(own(engine.id), keptFolder(dataDir, engine)),
    isRestored: ({ id }) => isRestored(own(id)),
    settle: ({ id }) => settleEngineFolder(own(id)),
    discard: (engine) => discardEngineFolder(own(engine.id), keptFolder(dataDir, engine), aside),
    keep: (engine) => keepEngineFolder(own(engine.id), keptFolder(dataDir, engine), aside),
    erase: ({ id }) => removeEngineFolder(own(id), aside),
    hasKept: (user) => exists(keptFolder(dataDir, user)),
    eraseKept: (user) => removeEngineFolder(keptFolder(dataDir, user), aside),
    keptProducts: () => listFolder(kept),
    eraseKeptOf: (productId) => removeEngineFolder(join(kept, productId), aside),
    async listKept() {
      const products = await listFolder(kept);
      const users = await Promise.all(products.map((productId) => listFolder(join(kept, productId))));
      return products.flatMap((productId, at) => (users[at] ?? []).map((user) => ({ productId, user })));
    },
    readUncollected: ({ id }, known, signal) =>
      readUncollected({ nodePath, program: folderProgram, signal }, own(id), known),
    read(what, { signal, take }) {
      const folder = "id" in what ? own(what.id) : join(kept, what.productId, what.user);
      return readFolder({ nodePath, program: folderProgram, signal }, folder, take);
    },
  };
}
