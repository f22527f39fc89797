/**
 * Builds `dist/`, unless it is there already and made from what is there now. Of several builds of one checkout one
 * works, and the others wait for it.
 */
import { mkdir, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { withBuildLock } from "./build-lock.ts";
import { inputHash, isUpToDate, writeStamp } from "./build-stamp.ts";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const LOCK = "dist.lock";

// Without the lock, which needs the right to write here: who only starts what is built does not.
if (!(await isUpToDate(dist, await inputHash(root)))) {
  await withBuildLock(join(root, LOCK), async () => {
    const inputs = await inputHash(root);
    if (!(await isUpToDate(dist, inputs))) await build(inputs);
  });
}
await linkPrograms();

/** Made beside and moved into place whole: a build that fails or is killed leaves the old one as it was. */
async function build(inputs: string): Promise<void> {
  process.stderr.write("building dist/ …\n");
  await removeLeftovers();
  const [fresh, old] = [join(root, "dist.new"), join(root, "dist.old")];
  try {
    // Only now: to find that nothing is to be done, no compiler is needed.
    const { makeBundles } = await import("./make-bundles.ts");
    const { makeDocuments } = await import("./make-documents.ts");
    await Promise.all([makeBundles(fresh), makeDocuments(join(fresh, "documents"))]);
    await writeStamp(fresh, inputs);
    await rename(dist, old).catch(ignoreMissing);
    await rename(fresh, dist);
  } finally {
    await removeLeftovers();
  }
}

/** Nobody else is at work here. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith("dist.") && !name.startsWith(LOCK))
      await rm(join(root, name), { recursive: true, force: true });
  }
}

/** `npx orchctl` in the checkout finds the program at once, as it would in a project that depends on the package. */
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

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
