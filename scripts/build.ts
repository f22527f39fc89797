/**
 * Builds `dist/`, and `dist/` of the packages of `src/client` and `src/sandbox`, unless all are up to date. Concurrent builds of one checkout
 * wait for the first one.
 */
import { mkdir, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { hasCode } from "../src/shared/error-code.ts";
import { type FileLock, acquireLock } from "../src/shared/file-lock.ts";
import { inputHash, isUpToDate, writeStamp } from "./build-stamp.ts";

const root = resolve(import.meta.dirname, "..");
const programs = join(root, "dist");
const client = join(root, "src/client/dist");
const sandbox = join(root, "src/sandbox/dist");
const built = [programs, client, sandbox];
const LOCK = "dist.lock";
const LOCK_WAIT_MS = 10 * 60_000;

// Checked without the lock first: a user without write access can start an up-to-date build.
if (!(await areUpToDate(await inputHash(root)))) {
  const lock = await lockCheckout();
  try {
    const inputs = await inputHash(root);
    if (!(await areUpToDate(inputs))) await build(inputs);
  } finally {
    lock.release();
  }
}
await linkPrograms();

async function lockCheckout(): Promise<FileLock> {
  const file = join(root, LOCK);
  const free = await acquireLock(file, 0);
  if (free !== null) return free;
  process.stderr.write("waiting for another build of this checkout …\n");
  const waited = await acquireLock(file, LOCK_WAIT_MS);
  if (waited === null) throw new Error(`timed out after ${LOCK_WAIT_MS / 60_000} minutes waiting for the lock ${file}`);
  return waited;
}

async function areUpToDate(inputs: string): Promise<boolean> {
  for (const folder of built) if (!(await isUpToDate(folder, inputs))) return false;
  return true;
}

/** Builds into new folders and renames them into place. A failed or killed build leaves the previous one unchanged. */
async function build(inputs: string): Promise<void> {
  process.stderr.write("building dist/ …\n");
  await removeLeftovers();
  try {
    // Loaded here because an installation without esbuild must still start what is built.
    const { bundleClient } = await import("./make-bundles.ts");
    const { compileSandbox } = await import("./compile-sandbox.ts");
    const { makeDist } = await import("./make-dist.ts");
    const made = await Promise.allSettled([
      makeDist(`${programs}.new`),
      bundleClient(`${client}.new`),
      compileSandbox(`${sandbox}.new`),
    ]);
    // All have ended by now, so none writes into a folder that is removed.
    for (const part of made) if (part.status === "rejected") throw part.reason;
    for (const folder of built) {
      await writeStamp(`${folder}.new`, inputs);
      await rename(folder, `${folder}.old`).catch(ignoreMissing);
      await rename(`${folder}.new`, folder);
    }
  } finally {
    await removeLeftovers();
  }
}

/** The build lock is held, so no other build uses these folders. */
async function removeLeftovers(): Promise<void> {
  for (const folder of built) {
    const parent = dirname(folder);
    for (const name of await readdir(parent)) {
      if (name.startsWith(`${basename(folder)}.`) && !name.startsWith(LOCK))
        await rm(join(parent, name), { recursive: true, force: true });
    }
  }
}

/** Lets `npx orchctl` find the programs in a checkout, as in a project that depends on the package. */
async function linkPrograms(): Promise<void> {
  const bin = join(root, "node_modules", ".bin");
  await mkdir(bin, { recursive: true });
  for (const program of ["orchd", "orchctl"]) {
    const link = join(bin, program);
    const target = `../../bin/${program}.js`;
    if ((await readlink(link).catch(() => null)) === target) continue;
    const fresh = `${link}.${process.pid}`;
    await symlink(target, fresh);
    await rename(fresh, link);
  }
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, "ENOENT")) throw error;
}
