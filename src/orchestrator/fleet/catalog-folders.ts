import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import PQueue from "p-queue";
import { catalogDigest } from "../../contract/catalog-digest.ts";
import { hasCode } from "../../shared/error-code.ts";
import { exists, unlessMissing } from "../../shared/files.ts";
import { type CatalogProgramSettings, runCatalogProgram } from "./catalog-program.ts";
import type { CatalogStorage, StagedCatalog } from "./catalog-storage.ts";
import { removeEngineFolder } from "./engine-folder.ts";
import { hashFolder } from "./hash-folder.ts";
import { makeTraversable } from "./isolation/file-modes.ts";

/** Checks at once: each is a process that reads a whole archive. */
const MAX_CHECKS = 2;
const STAGE = ".new";
/** A turn of long ago may use an old version still. */
const UNUSED_MS = 24 * 3_600_000;

export interface CatalogFoldersOptions extends CatalogProgramSettings {
  readonly dataDir: string;
  /** Makes the name of a product's folder, which nobody can guess. */
  readonly nameOf: (productId: string) => string;
}

/**
 * The folders of products' catalogs on this host: one per product, which its engines may read, and in it one per digest,
 * which never changes. They are made from the database, and again when they are lost.
 */
export class CatalogFolders implements CatalogStorage {
  readonly reloads = true;
  readonly #options: CatalogFoldersOptions;
  readonly #checks = new PQueue({ concurrency: MAX_CHECKS });
  /** Folders that have been compared with their digest since the daemon started, or are being made. */
  readonly #sound = new Map<string, Promise<void>>();

  constructor(options: CatalogFoldersOptions) {
    this.#options = options;
  }

  /** Made if it is not there: an engine may read what exists at its launch. */
  ofProduct(productId: string): string {
    const folder = this.#path(productId);
    makeTraversable(this.#root);
    makeTraversable(folder);
    return folder;
  }

  /** Removes what a daemon that crashed was unpacking. */
  discardStaged(): void {
    rmSync(join(this.#root, STAGE), { recursive: true, force: true });
  }

  async stage(archive: Uint8Array): Promise<StagedCatalog> {
    makeTraversable(this.#root);
    mkdirSync(join(this.#root, STAGE), { recursive: true, mode: 0o700 });
    const target = join(this.#root, STAGE, randomUUID());
    // What cannot be removed now is removed at the next start.
    const remove = () => rm(target, { recursive: true, force: true }).catch(() => undefined);
    try {
      await mkdir(target, { mode: 0o755 });
      // Whatever the umask is.
      chmodSync(target, 0o755);
      const check = await this.#checks.add(() => runCatalogProgram(this.#options, archive, target));
      const digest = catalogDigest(check.files);
      return {
        check,
        digest,
        place: async (productId) => {
          const place = join(this.ofProduct(productId), digest);
          await this.#move(target, place);
          this.#sound.set(place, Promise.resolve());
        },
        [Symbol.asyncDispose]: remove,
      };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  async ensure(productId: string, digest: string, load: () => Promise<Uint8Array>): Promise<void> {
    const place = join(this.ofProduct(productId), digest);
    if (!(await exists(place))) this.#sound.delete(place);
    let sound = this.#sound.get(place);
    if (sound === undefined) {
      sound = this.#make({ place, productId, digest, load });
      this.#sound.set(place, sound);
      sound.catch(() => this.#sound.delete(place));
    }
    await sound;
    await touch(place);
  }

  /** Removes those of products that are gone too. */
  async collect(inUse: ReadonlyMap<string, ReadonlySet<string>>, now: number): Promise<void> {
    const names = new Map([...inUse].map(([id, digests]) => [this.#options.nameOf(id), digests]));
    for (const name of (await unlessMissing(readdir(this.#root))) ?? []) {
      const used = names.get(name);
      const folder = join(this.#root, name);
      for (const digest of await readdir(folder)) {
        const place = join(folder, digest);
        if (used?.has(digest) === true) await touch(place);
        else if (now - (await stat(place)).mtimeMs > UNUSED_MS) await this.#remove(place);
      }
      if (used === undefined && name !== STAGE && (await readdir(folder)).length === 0)
        await removeEngineFolder(folder);
    }
  }

  async erase(productId: string): Promise<void> {
    const folder = this.#path(productId);
    for (const place of this.#sound.keys()) if (place.startsWith(`${folder}/`)) this.#sound.delete(place);
    await removeEngineFolder(folder);
  }

  get #root(): string {
    return join(this.#options.dataDir, "catalogs");
  }

  #path(productId: string): string {
    return join(this.#root, this.#options.nameOf(productId));
  }

  async #make({
    place,
    productId,
    digest,
    load,
  }: {
    readonly place: string;
    readonly productId: string;
    readonly digest: string;
    readonly load: () => Promise<Uint8Array>;
  }): Promise<void> {
    if ((await exists(place)) && catalogDigest(await hashFolder(place)) === digest) return;
    await removeEngineFolder(place);
    // The rules may have become stricter since it was pushed: its faults do not count here.
    await using staged = await this.stage(await load());
    if (staged.digest !== digest) throw new Error(`the stored archive of ${productId} has other files than ${digest}`);
    await staged.place(productId);
  }

  /** Another push may have placed the same files. */
  async #move(from: string, to: string): Promise<void> {
    try {
      await rename(from, to);
    } catch (error) {
      if (!hasCode(error, "ENOTEMPTY", "EEXIST")) throw error;
      await touch(to);
    }
  }

  async #remove(place: string): Promise<void> {
    this.#sound.delete(place);
    await removeEngineFolder(place);
  }
}

/** The time of a folder is that of its last use. */
async function touch(folder: string): Promise<void> {
  const now = new Date();
  await utimes(folder, now, now);
}
