/**
 * The compile cache of engines, which a daemon fills in the background unless its data folder has it. `npm run pretest`
 * runs this file and fills one that all daemons of the tests start with: filling takes a second of CPU time.
 */
import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const PREPARED = join(root, ".tap/engine-cache");

/** Copies it into the data folder of a daemon, whose user is the owner of the folder. */
export function copyEngineCache(dataDir: string): void {
  const target = join(dataDir, "cache");
  if (existsSync(target) || !existsSync(PREPARED)) return;
  const { uid, gid } = statSync(dataDir);
  // Node.js appends the user id to the folder that it uses.
  const own = new RegExp(`-${process.getuid?.()}$`);
  for (const build of readdirSync(PREPARED)) {
    mkdirSync(join(target, build), { recursive: true });
    for (const name of readdirSync(join(PREPARED, build)))
      cpSync(join(PREPARED, build, name), join(target, build, name.replace(own, `-${uid}`)), { recursive: true });
  }
  if (uid === process.getuid?.()) return;
  for (const path of [".", ...readdirSync(target, { recursive: true, encoding: "utf8" })])
    chownSync(join(target, path), uid, gid);
}

if (import.meta.main) {
  // Not loaded by each test file that copies the cache: that takes 0.2 s of CPU time.
  const { CompileCache } = await import("../../src/orchestrator/fleet/isolation/compile-cache.ts");
  const { createLogger } = await import("../../src/shared/logger.ts");
  const logger = createLogger("pretest", "warn");
  const cache = new CompileCache({
    folder: PREPARED,
    nodePath: process.execPath,
    bundleDir: join(root, "dist"),
    logger,
  });
  await cache.fill("later", new AbortController().signal);
}
