import { randomBytes } from "node:crypto";
import { access, constants, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ADDRESS_FILE, HOST_ID_FILE } from "../../contract/orchestrator/data-dir.ts";
import { readIfThere, readOrCreate } from "../../shared/files.ts";
import { newId } from "../../shared/ids.ts";
import { assertNoRestore } from "./restore-marker.ts";

/** Where an operator puts the `secret-key` that a new one replaces. */
const PREVIOUS_KEY_FILE = "secret-key.previous";

/** The keys and the id in the data folder. */
export interface DataFolder {
  readonly adminKey: string;
  readonly secretKey: string;
  /** The one before, which opens what it has sealed. */
  readonly previousSecretKey: string | null;
  /** Identifies this data folder, and so this host or its replicas, in the database. */
  readonly hostId: string;
  /** The file of the admin key, if it was generated. */
  readonly adminKeyFile: string;
}

/** The data folder cannot be used. The message names the path and what to do. */
class DataFolderUnusable extends Error {
  override readonly name = "DataFolderUnusable";
}

/** Creates the data folder and, on first start, its keys. Keys of the environment are used and not written. */
export async function openDataFolder(
  dir: string,
  given: {
    readonly adminKey: string | undefined;
    readonly secretKey: string | undefined;
    readonly previousSecretKey: string | undefined;
    readonly hostId: string | undefined;
  },
): Promise<DataFolder> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o711 });
    await access(dir, constants.W_OK | constants.X_OK);
    await assertNoRestore(dir);
    const newSecret = () => randomBytes(32).toString("base64url");
    return {
      adminKey: given.adminKey ?? (await readOrCreate(join(dir, "admin-key"), newSecret)),
      secretKey: given.secretKey ?? (await readOrCreate(join(dir, "secret-key"), newSecret)),
      previousSecretKey: given.previousSecretKey ?? (await readIfThere(join(dir, PREVIOUS_KEY_FILE)))?.trim() ?? null,
      hostId: await readOrStoreHostId(dir, given.hostId),
      adminKeyFile: join(dir, "admin-key"),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataFolderUnusable(
      `ORCH_DATA_DIR: the data folder ${dir} cannot be used (${reason}); expected a folder this user may write to`,
      { cause: error },
    );
  }
}

/** The host id is stored in the data folder, which therefore cannot be used for another host. */
async function readOrStoreHostId(dir: string, given: string | undefined): Promise<string> {
  const hostId = await readOrCreate(join(dir, HOST_ID_FILE), () => given ?? newId("host"));
  if (given !== undefined && given !== hostId)
    throw new Error(`ORCH_HOST_ID is ${given}, and the folder belongs to ${hostId}, as its file ${HOST_ID_FILE} says`);
  return hostId;
}

/** Stores where the leading daemon listens. The returned function removes it, unless another one leads by then. */
export async function storeAddress(dir: string, url: string): Promise<() => Promise<void>> {
  const path = join(dir, ADDRESS_FILE);
  await writeFile(path, `${url}\n`, { mode: 0o600 });
  return async () => {
    if ((await readIfThere(path))?.trim() === url) await rm(path, { force: true });
  };
}
