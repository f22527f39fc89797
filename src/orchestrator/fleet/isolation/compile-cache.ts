import { createHash } from "node:crypto";
import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { chmod, mkdir, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { PROGRAMS } from "../../../contract/engine/program.ts";
import type { Logger } from "../../../shared/logger.ts";
import { daemonUser } from "./owner.ts";

const FILL_MS = 120_000;
/** Without that of a thread, which runs nowhere else and is not read from its file. */
const BUNDLE = /^engine-(?!launch-worker|supervisor-worker).*\.cjs$/;
/** What an engine loads at its start. A snapshot holds it. */
const START = ["engine-confine.cjs", ...PROGRAMS.map((name) => `${name}.cjs`)];

/** Compiles the engine's bundles into the cache that NODE_COMPILE_CACHE names, behind all other work. */
const FILL = `
require("node:os").setPriority(19);
for (const bundle of process.argv.slice(1)) require(bundle);
require("node:module").flushCompileCache();
`;

export interface CompileCacheOptions {
  /** Holds one folder per build. */
  readonly folder: string;
  readonly nodePath: string;
  /** The folder of the bundles. */
  readonly bundleDir: string;
  readonly logger: Logger;
}

/**
 * The compile cache of Node.js for engines. Only the daemon writes it: an engine that could would run its code in the
 * others. Engines start without it until it is filled.
 */
export class CompileCache {
  readonly #options: CompileCacheOptions;
  #filled: string | null = null;

  constructor(options: CompileCacheOptions) {
    this.#options = options;
  }

  /**
   * Fills the cache for this build, unless an earlier daemon did, and removes those of other builds. `later`: without what
   * engines load at their start.
   */
  async fill(what: "all" | "later", signal: AbortSignal): Promise<void> {
    const { folder, logger } = this.#options;
    try {
      const bundles = await this.#bundles(what);
      const key = await this.#key(what, bundles);
      const target = join(folder, key);
      if (!existsSync(target)) await this.#compile(bundles, target, signal);
      this.#filled = target;
      for (const name of await readdir(folder))
        if (name !== key) await rm(join(folder, name), { recursive: true, force: true });
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error }, "failed to fill the compile cache of engines");
    }
  }

  /** Whether an earlier daemon filled it with `what`, for these files and this Node.js. */
  async isFilled(what: "all" | "later"): Promise<boolean> {
    try {
      return existsSync(join(this.#options.folder, await this.#key(what, await this.#bundles(what))));
    } catch {
      return false;
    }
  }

  /** The value of NODE_COMPILE_CACHE for an engine that runs as `uid`. Null while the cache is empty. */
  folderFor(uid: number): string | null {
    const folder = this.#filled;
    if (folder === null) return null;
    // Node.js appends the user id to the folder that it uses.
    const own = `-${daemonUser().uid}`;
    for (const name of readdirSync(folder)) {
      if (uid === daemonUser().uid || !name.endsWith(own)) continue;
      const link = join(folder, `${name.slice(0, -own.length)}-${uid}`);
      if (!existsSync(link)) symlinkSync(name, link);
    }
    return folder;
  }

  /** By their real paths, as Node.js caches them. */
  async #bundles(what: "all" | "later"): Promise<readonly string[]> {
    const bundleDir = await realpath(this.#options.bundleDir);
    const bundles = (await readdir(bundleDir)).filter((name) => BUNDLE.test(name));
    return bundles.filter((name) => what === "all" || !START.includes(name)).map((name) => join(bundleDir, name));
  }

  /** Into a temporary folder that is renamed, so that a cache is complete. */
  async #compile(bundles: readonly string[], target: string, cancelSignal: AbortSignal): Promise<void> {
    const { nodePath } = this.#options;
    const temporary = `${target}.new`;
    await rm(temporary, { recursive: true, force: true });
    await mkdir(temporary, { recursive: true });
    await execa(nodePath, ["-e", FILL, ...bundles], {
      extendEnv: false,
      env: { NODE_COMPILE_CACHE: temporary },
      stdin: "ignore",
      stdout: "ignore",
      timeout: FILL_MS,
      cancelSignal,
    });
    await chmod(temporary, 0o755);
    for (const entry of await readdir(temporary, { recursive: true, withFileTypes: true }))
      await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
    await rename(temporary, target);
  }

  /** Node.js checks the content of a cached file itself; the key only separates builds, with their snapshots. */
  async #key(what: "all" | "later", bundles: readonly string[]): Promise<string> {
    const { nodePath, bundleDir } = this.#options;
    const blobs = (await readdir(bundleDir)).filter((name) => name.endsWith(".blob"));
    const hash = createHash("sha256").update(`${process.version} ${what}\n`);
    for (const file of [nodePath, ...bundles, ...blobs.map((name) => join(bundleDir, name))]) {
      const { size, mtimeMs } = await stat(file);
      hash.update(`${file} ${size} ${mtimeMs}\n`);
    }
    return hash.digest("hex").slice(0, 16);
  }
}
