import { chown, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { readIfThere } from "../../shared/files.ts";
import { BundledPostgresError } from "./bundled-postgres-error.ts";
import type { ServerFiles } from "./server-files.ts";
import type { ServerUser } from "./server-user.ts";

const DEADLINE_MS = 120_000;

interface Cluster {
  /** PostgreSQL's own data folder. */
  readonly data: string;
  readonly user: string;
  readonly password: string;
}

/** Our settings, included last and rewritten at each start. */
export const SETTINGS_FILE = "orchd.conf";

/** The cluster in `home`. On first start it is created in a temporary folder and renamed, so that it is complete. */
export async function initialiseCluster(
  { bin, version }: ServerFiles,
  { home, serverUser, password }: { readonly home: string; readonly serverUser: ServerUser; readonly password: string },
): Promise<Cluster> {
  const data = join(home, "data");
  const user = "orchd";
  const existing = (await readIfThere(join(data, "PG_VERSION")))?.trim() ?? null;
  if (existing !== null) {
    if (existing !== version.split(".")[0]) {
      throw new BundledPostgresError(
        `${data} was created by PostgreSQL ${existing}, but this orchd has ${version}; dump it with the older release, or set DATABASE_URL`,
      );
    }
    return { data, user, password };
  }
  const temporary = `${data}.new`;
  await rm(temporary, { recursive: true, force: true });
  const passwordFile = join(home, "initial-password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (serverUser.uid !== undefined) await chown(passwordFile, serverUser.uid, serverUser.gid);
  try {
    const options = ["--encoding=UTF8", "--locale=C.UTF-8", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
    await execa(join(bin, "initdb"), [`--pgdata=${temporary}`, `--username=${user}`, ...options], {
      ...serverUser,
      cwd: home,
      extendEnv: false,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" },
      timeout: DEADLINE_MS,
    });
  } catch (error) {
    const reason = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw new BundledPostgresError(`initdb failed to create the data folder in ${home}: ${reason.slice(-500)}`, {
      cause: error,
    });
  } finally {
    await rm(passwordFile, { force: true });
  }
  await writeFile(join(temporary, "postgresql.conf"), `\ninclude_if_exists = '${SETTINGS_FILE}'\n`, { flag: "a" });
  await rename(temporary, data);
  return { data, user, password };
}
