import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import { mkdir, readdir, rename, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import PQueue from "p-queue";
import { KNOWLEDGE_FOLDER } from "../../../contract/engine/knowledge-file.ts";
import type { TriedCall } from "../../../contract/orchestrator/catalog.ts";
import { catalogDigest } from "../../../contract/orchestrator/catalog-digest.ts";
import { hasCode } from "../../../shared/error-code.ts";
import { exists, unlessMissing } from "../../../shared/files.ts";
import { removeFolder } from "../../../sandbox/folders.ts";
import { type CatalogProgramSettings, runCatalogProgram } from "./catalog-program.ts";
import type { CatalogStorage, StagedCatalog } from "../catalog-storage.ts";
import { removeEngineFolder, removedFolder } from "./engine-folder.ts";
import { hashFolder } from "./hash-folder.ts";
import { makeTraversable } from "../isolation/file-modes.ts";

/** Concurrent checks. Each is a process that reads a whole archive. */
const MAX_CHECKS = 2;
const STAGE = ".new";
/** A long turn may still use an old version. */
const UNUSED_MS = 24 * 3_600_000;

interface CatalogFoldersOptions extends CatalogProgramSettings {
  readonly dataDir: string;
  /** The name of a product's folder. Engines of other products cannot guess it. */
  readonly nameOf: (productId: string) => string;
}

/**
 * The folders of products' catalogs on this host. Each product has one, which its engines may read; in it is one per
 * digest, which never changes. They are created from the archives in the database, again when they are lost.
 */
export class CatalogFolders implements CatalogStorage {
  readonly reloads = true;
  readonly #options: CatalogFoldersOptions;
  readonly #checks = new PQueue({ concurrency: MAX_CHECKS });
  /** Folders that were compared with their digest since the daemon started, or are being created. */
  readonly #verified = new Map<string, Promise<void>>();

  constructor(options: CatalogFoldersOptions) {
    this.#options = options;
  }

  /** Creates a missing folder: an engine may read only paths that exist at its launch. */
  ofProduct(productId: string): string {
    const folder = this.#path(productId);
    makeTraversable(this.#root);
    makeTraversable(folder);
    return folder;
  }

  /** Removes the unpacked files of a daemon that crashed. */
  async discardStaged(): Promise<void> {
    await removeFolder(join(this.#root, STAGE), { aside: this.#aside });
  }

  async stage(archive: Uint8Array, tried: TriedCall | null = null): Promise<StagedCatalog> {
    makeTraversable(this.#root);
    mkdirSync(join(this.#root, STAGE), { recursive: true, mode: 0o700 });
    const target = join(this.#root, STAGE, randomUUID());
    // A folder that cannot be removed now is removed at the next start.
    const remove = () => removeFolder(target, { aside: this.#aside }).catch(() => undefined);
    try {
      await mkdir(target, { mode: 0o755 });
      // mkdir applies the umask.
      chmodSync(target, 0o755);
      const check = await this.#checks.add(() => runCatalogProgram(this.#options, archive, { target, tried }));
      const digest = catalogDigest(check.files);
      return {
        check,
        digest,
        place: async (productId) => {
          const place = join(this.ofProduct(productId), digest);
          await this.#move(target, place);
          this.#verified.set(place, Promise.resolve());
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
    if (!(await exists(place))) this.#verified.delete(place);
    let verified = this.#verified.get(place);
    if (verified === undefined) {
      verified = this.#create({ place, productId, digest, load });
      this.#verified.set(place, verified);
      verified.catch(() => this.#verified.delete(place));
    }
    await verified;
    await touch(place);
  }

  /** Also removes the folders of deleted products. */
  async collect(inUse: ReadonlyMap<string, ReadonlySet<string>>, now: number): Promise<void> {
    const names = new Map([...inUse].map(([id, digests]) => [this.#options.nameOf(id), digests]));
    for (const name of (await unlessMissing(readdir(this.#root))) ?? []) {
      const used = names.get(name);
      const folder = join(this.#root, name);
      for (const digest of await readdir(folder)) {
        const place = join(folder, digest);
        // It has versions of its own.
        if (digest === KNOWLEDGE_FOLDER && used !== undefined) continue;
        if (used?.has(digest) === true) await touch(place);
        else if (now - (await stat(place)).mtimeMs > UNUSED_MS) await this.#remove(place);
      }
      if (used === undefined && name !== STAGE && (await readdir(folder)).length === 0)
        await removeEngineFolder(folder, this.#aside);
    }
  }

  async erase(productId: string): Promise<void> {
    const folder = this.#path(productId);
    for (const place of this.#verified.keys()) if (place.startsWith(`${folder}/`)) this.#verified.delete(place);
    await removeEngineFolder(folder, this.#aside);
  }

  get #aside(): string {
    return removedFolder(this.#options.dataDir);
  }

  get #root(): string {
    return join(this.#options.dataDir, "catalogs");
  }

  #path(productId: string): string {
    return join(this.#root, this.#options.nameOf(productId));
  }

  async #create({
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
    await removeEngineFolder(place, this.#aside);
    // The rules may have become stricter since the push, so errors of the check are ignored here.
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
    this.#verified.delete(place);
    await removeEngineFolder(place, this.#aside);
  }
}

/** The modification time of a folder is the time of its last use. */
async function touch(folder: string): Promise<void> {
  const now = new Date();
  await utimes(folder, now, now);
}
