import { randomBytes } from "node:crypto";
import { access, constants, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "../../shared/ids.ts";

/** What lives in the data folder beside engines and the bundled database. */
export interface DataFolder {
  readonly adminKey: string;
  readonly secretKey: string;
  /** Names this folder, and so the host that its engines live on, in the database. */
  readonly hostId: string;
  /** Where the admin key lies, when it was made here. */
  readonly adminKeyFile: string;
}

/** The data folder cannot be used; the message names the path and what to do. */
export class DataFolderUnusable extends Error {
  override readonly name = "DataFolderUnusable";
}

/** Makes the data folder and, on first start, its keys; keys given by the environment are used and not written. */
export async function openDataFolder(
  dir: string,
  given: { readonly adminKey: string | undefined; readonly secretKey: string | undefined },
): Promise<DataFolder> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o711 });
    await access(dir, constants.W_OK | constants.X_OK);
    const fresh = () => randomBytes(32).toString("base64url");
    return {
      adminKey: given.adminKey ?? (await keptText(join(dir, "admin-key"), fresh)),
      secretKey: given.secretKey ?? (await keptText(join(dir, "secret-key"), fresh)),
      hostId: await keptText(join(dir, "host-id"), () => newId("host")),
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

/** The text of a file; a missing one is made, by one of several processes that start together. */
async function keptText(file: string, make: () => string): Promise<string> {
  try {
    await writeFile(file, `${make()}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const text = (await readFile(file, "utf8")).trim();
  if (text === "") throw new Error(`${file} is empty`);
  return text;
}
