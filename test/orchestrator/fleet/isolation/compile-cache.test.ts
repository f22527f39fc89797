import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import t, { type Test } from "tap";
import { CompileCache } from "../../../../src/orchestrator/fleet/isolation/compile-cache.ts";
import { createLogger } from "../../../../src/shared/logger.ts";
import { freshFolder } from "../../../helpers/folder.ts";

const ALICE = 1_900_000_007;
const isRoot = process.getuid?.() === 0;
const { signal } = new AbortController();

const logger = createLogger("test", "silent");

function site(t: Test) {
  const outer = freshFolder(t, "cache");
  const [folder, bundleDir] = [join(outer, "cache"), join(outer, "dist")];
  mkdirSync(bundleDir, { mode: 0o755 });
  writeFileSync(join(bundleDir, "engine-part.cjs"), "module.exports = () => 42;\n");
  writeFileSync(join(bundleDir, "orchd.cjs"), "throw new Error('not of an engine');\n");
  return { folder, bundleDir, cache: new CompileCache({ folder, nodePath: process.execPath, bundleDir, logger }) };
}

/** What Node.js says of the bundle, with the cache and as another user. */
function loadAs(uid: number, { bundle, cache }: { readonly bundle: string; readonly cache: string }): string {
  return spawnSync(process.execPath, [bundle], {
    ...(isRoot && { uid, gid: uid }),
    cwd: "/",
    env: { NODE_COMPILE_CACHE: cache, NODE_DEBUG_NATIVE: "COMPILE_CACHE" },
    encoding: "utf8",
  }).stderr;
}

t.test("the bundles of this build fill the cache", async (t) => {
  const { folder, cache: _, ...parts } = site(t);
  const bundleDir = resolve(import.meta.dirname, "../../../../dist");
  const logger = createLogger("test", "silent");
  const cache = new CompileCache({ ...parts, folder, nodePath: process.execPath, bundleDir, logger });
  await cache.fill("all", signal);
  t.not(cache.folderFor(process.getuid?.() ?? 0), null);
});

t.test("engines read the cache that the daemon filled, whichever user they are", async (t) => {
  const { folder, bundleDir, cache } = site(t);
  t.equal(cache.folderFor(ALICE), null, "they start without one until it is filled");
  await cache.fill("all", signal);
  const uid = isRoot ? ALICE : (process.getuid?.() ?? 0);
  const filled = cache.folderFor(uid);
  if (filled === null) throw new Error("the cache is not filled");
  t.match(loadAs(uid, { bundle: join(bundleDir, "engine-part.cjs"), cache: filled }), /engine-part\.cjs.* accepted/);
  t.same(cache.folderFor(uid), filled, "a second engine of the user finds the same");
  for (const name of [
    folder,
    ...readdirSync(folder, { recursive: true, encoding: "utf8" }).map((one) => join(folder, one)),
  ]) {
    const { mode, uid: owner } = statSync(name);
    t.equal(mode & 0o022, 0, `${name} is the daemon's alone to write`);
    t.equal(owner, process.getuid?.());
  }
});

t.test("it is filled with what it was filled with, until a bundle or a snapshot is another", async (t) => {
  const { bundleDir, cache } = site(t);
  await cache.fill("all", signal);
  t.equal(await cache.isFilled("later"), false);
  await cache.fill("later", signal);
  t.equal(await cache.isFilled("later"), true);
  writeFileSync(join(bundleDir, "engine-sandbox.blob"), "another");
  t.equal(await cache.isFilled("later"), false);
});

t.test("another build gets a cache of its own, and the old one is removed", async (t) => {
  const { folder, bundleDir, cache } = site(t);
  await cache.fill("all", signal);
  const before = readdirSync(folder);
  writeFileSync(join(bundleDir, "engine-part.cjs"), "module.exports = () => 'another';\n");
  await cache.fill("all", signal);
  const after = readdirSync(folder);
  t.equal(after.length, 1);
  t.notSame(after, before);
});

t.test("a bundle that cannot be loaded leaves engines without a cache, not without a start", async (t) => {
  const { bundleDir, cache } = site(t);
  writeFileSync(join(bundleDir, "engine-broken.cjs"), "throw new Error('broken');\n");
  await cache.fill("all", signal);
  t.equal(cache.folderFor(ALICE), null);
});
