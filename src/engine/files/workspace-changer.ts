import type { Stats } from "node:fs";
import { chmod, link, lstat, rename, rm, rmdir, unlink } from "node:fs/promises";
import type { MovedFile, RemovedFile, StoredFile } from "../../contract/engine/file.ts";
import { TEMPORARY_PREFIX } from "../../contract/engine/folders.ts";
import { removeFolder } from "../../sandbox/folders.ts";
import { hasCode } from "../../shared/error-code.ts";
import { SerialLanes } from "../../shared/serial-lanes.ts";
import { EngineError } from "../engine-error.ts";
import type { WorkspaceFolder } from "../tools/workspace-folder.ts";
import type { ContentDigests } from "./content-digests.ts";
import { inFolderOf, nothingThere, statsIn } from "./in-folder.ts";
import { moveEntry } from "./move-entry.ts";
import { changeableNames } from "./named-path.ts";
import { assertFile, openIn } from "./open-content.ts";
import { type Preconditions, assertMatch, etagOf, preconditionFailed } from "./preconditions.ts";
import { type UploadPlace, type UploadSource, receiveUpload } from "./receive-upload.ts";

const PERMISSIONS = 0o777;
const NEW_FILE = 0o644;

export interface ChangerParts extends UploadPlace {
  readonly workspaceDir: string;
  readonly digests: ContentDigests;
  /** Gets each change. What tool calls have changed is not decided until `onChange` has told of it. */
  readonly during: <T>(change: Promise<T>) => Promise<T>;
  /** Told of each change, so that no tool call that runs is said to have made it. Null: of many paths. */
  readonly onChange: (change: { readonly path: string; readonly now: Stats | null } | null) => void;
}

/** What a write finds at its path. `etag` is read only for a condition on it. */
interface Found {
  readonly stats: Stats | null;
  readonly etag: string | null;
}

/**
 * Changes files for callers of the interface. Each change is one rename, link or removal, so that a kill at any point leaves
 * the old content or the new one. Conditions are checked and changes made one at a time: of two writes with the same
 * `If-Match` one fails.
 */
export class WorkspaceChanger {
  readonly #parts: ChangerParts;
  readonly #lane = new SerialLanes();

  constructor(parts: ChangerParts) {
    this.#parts = parts;
  }

  /** `ifNoneMatch`: only a new file is written. */
  async put(path: string, source: UploadSource, conditions: Preconditions): Promise<StoredFile> {
    const names = changeableNames(path);
    // A large body that is refused anyway is not received.
    assertConditions(await this.#foundAt(names, conditions), conditions);
    const upload = await receiveUpload(source, this.#parts);
    try {
      const created = await this.#alone(() =>
        inFolderOf(
          this.#parts.workspaceDir,
          names,
          (folder, name) => this.#replace({ folder, name, path: names.join("/"), upload: upload.path }, conditions),
          { create: true },
        ),
      );
      return { path: names.join("/"), bytes: upload.bytes, digest: upload.digest, created };
    } finally {
      await rm(upload.path, { force: true });
    }
  }

  async remove(path: string, { recursive, ...conditions }: Preconditions & { readonly recursive: boolean }) {
    const { workspaceDir, onChange } = this.#parts;
    const names = changeableNames(path);
    const shown = names.join("/");
    const removal = async (folder: WorkspaceFolder, name: string) => {
      const found = await this.#found(folder, name, conditions);
      if (found.stats === null) throw nothingThere(shown);
      assertConditions(found, conditions);
      const isFolder = found.stats.isDirectory();
      if (isFolder) await this.#removeFolder(folder.at(name), { recursive });
      else await unlink(folder.at(name));
      onChange(isFolder ? null : { path: shown, now: null });
    };
    await this.#alone(() => inFolderOf(workspaceDir, names, removal));
    return { path: shown } satisfies RemovedFile;
  }

  async move(from: string, to: string, { overwrite }: { readonly overwrite: boolean }): Promise<MovedFile> {
    const { workspaceDir, onChange } = this.#parts;
    const [source, target] = [changeableNames(from, "from"), changeableNames(to, "to")];
    const moved = { from: source.join("/"), to: target.join("/") };
    const moving = async (folder: WorkspaceFolder, name: string) => {
      const stats = await statsIn(folder, name);
      if (stats === null) throw nothingThere(moved.from, "from");
      const now = await inFolderOf(
        workspaceDir,
        target,
        async (other, newName) => {
          const [here, there] = [folder.at(name), other.at(newName)];
          await moveEntry({ stats, from: here, to: there, overwrite, shown: moved.to });
          return lstat(there);
        },
        { create: true, field: "to" },
      );
      if (stats.isDirectory()) return onChange(null);
      onChange({ path: moved.from, now: null });
      onChange({ path: moved.to, now });
    };
    await this.#alone(() => inFolderOf(workspaceDir, source, moving, { field: "from" }));
    return moved;
  }

  /** Whether there was no file before. */
  async #replace(
    { folder, name, path, upload }: Readonly<Record<"name" | "path" | "upload", string>> & { folder: WorkspaceFolder },
    conditions: Preconditions,
  ): Promise<boolean> {
    const found = await this.#found(folder, name, conditions);
    assertConditions(found, conditions);
    const { stats } = found;
    if (stats !== null) assertFile(stats, path);
    await chmod(upload, stats === null ? NEW_FILE : stats.mode & PERMISSIONS);
    if (conditions.ifNoneMatch !== undefined) {
      // By `link`, which never replaces what a program has made meanwhile.
      await link(upload, folder.at(name)).catch(alreadyThere);
    } else {
      // A program may have changed it while it was read.
      if (conditions.ifMatch !== undefined && !isSame(stats, await statsIn(folder, name)))
        throw preconditionFailed("If-Match: the file has changed", null);
      await rename(upload, folder.at(name));
    }
    this.#parts.onChange({ path, now: await statsIn(folder, name) });
    return stats === null;
  }

  /** A missing folder has no file. */
  async #foundAt(names: readonly string[], conditions: Preconditions): Promise<Found> {
    try {
      return await inFolderOf(this.#parts.workspaceDir, names, (folder, name) => this.#found(folder, name, conditions));
    } catch (error) {
      if (error instanceof EngineError && error.code === "NOT_FOUND") return { stats: null, etag: null };
      throw error;
    }
  }

  async #found(folder: WorkspaceFolder, name: string, { ifMatch }: Preconditions): Promise<Found> {
    const stats = await statsIn(folder, name);
    if (ifMatch === undefined || ifMatch.trim() === "*" || stats?.isFile() !== true) return { stats, etag: null };
    const opened = await openIn(folder, name, name);
    await using file = opened.file;
    const { digest, ...read } = await this.#parts.digests.of(file);
    return { stats: read.stats, etag: etagOf(digest) };
  }

  async #removeFolder(path: string, { recursive }: { readonly recursive: boolean }): Promise<void> {
    if (recursive) return removeFolder(path, { aside: this.#parts.dataDir, prefix: TEMPORARY_PREFIX });
    try {
      await rmdir(path);
    } catch (error) {
      if (!hasCode(error, "ENOTEMPTY", "EEXIST")) throw error;
      throw new EngineError("FILE_EXISTS", "path: the folder is not empty; recursive=true removes what it contains");
    }
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#parts.during(this.#lane.run("change", work));
  }
}

function assertConditions({ stats, etag }: Found, conditions: Preconditions): void {
  if (conditions.ifNoneMatch !== undefined && stats !== null) throw alreadyExists();
  assertMatch(conditions, { etag, isThere: stats !== null });
}

function alreadyThere(error: unknown): void {
  throw hasCode(error, "EEXIST") ? alreadyExists() : error;
}

const alreadyExists = () => preconditionFailed("If-None-Match: there is a file or folder at this path", null);

const isSame = (read: Stats | null, now: Stats | null): boolean =>
  read === null ? now === null : now?.ino === read.ino && now.mtimeMs === read.mtimeMs && now.size === read.size;
