import { isUtf8 } from "node:buffer";
import { type Stats, constants } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "../shared/error-code.ts";
import { MAX_FILE_BYTES, MAX_MEMBERS, MAX_PATH_BYTES } from "./member-rules.ts";
import { STORE_FILES, holdStore } from "./store-snapshot.ts";
import type { Member, TarWriter } from "../shared/tar.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** At the top of an engine's folder: what it makes anew at each start, its log, and files of SQLite's locks. */
const NOT_KEPT = /^(engine\.log(\.\d+)?|engine\.lock(-.*)?|engine\.db-shm|tmp(-.*)?|cache)$/;
/** Each level holds an open folder. */
const MAX_DEPTH = 200;
const SPARSE_BYTES = 1024 ** 3;
const BUFFER_BYTES = 65_536;
const BLOCK_BYTES = 512;

export type LeaveOut = (path: string, reason: string) => void;

/**
 * Writes an engine's folder as members of a tar archive: first the store, as a snapshot, then the other files. Links are
 * not followed. Whatever is left out is reported. Runs as the owner of the folder, whose files may change meanwhile.
 */
export async function packFolder(folder: string, tar: TarWriter, leaveOut: LeaveOut): Promise<void> {
  const packing = new Packing(tar, leaveOut);
  await using top = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  await packing.store(folder, top);
  await packing.below({ folder: top, path: "", depth: 0 });
}

interface Place {
  readonly folder: FileHandle;
  readonly path: string;
  readonly depth: number;
}

class Packing {
  readonly #tar: TarWriter;
  readonly #leaveOut: LeaveOut;
  #members = 0;

  constructor(tar: TarWriter, leaveOut: LeaveOut) {
    this.#tar = tar;
    this.#leaveOut = leaveOut;
  }

  async store(folder: string, top: FileHandle): Promise<void> {
    const opened: FileHandle[] = [];
    const snapshot = await this.#snapshot(join(folder, STORE_FILES[0] ?? ""));
    try {
      for (const name of STORE_FILES) {
        const file = await openUnlessMissing(entryPath(top, Buffer.from(name)));
        if (file === null) continue;
        opened.push(file);
        const stat = await file.stat();
        if (stat.isFile()) await this.#addFile(name, file, stat);
      }
    } finally {
      snapshot?.close();
      for (const file of opened) await file.close();
    }
  }

  /** Null for a missing store, and for a damaged one, which is copied as it is: the engine moves it aside. */
  async #snapshot(file: string): Promise<{ close(): void } | null> {
    const stat = await lstat(file).catch(() => null);
    if (stat === null || !stat.isFile()) return null;
    try {
      return holdStore(file);
    } catch (error) {
      this.#leaveOut(STORE_FILES[0] ?? "", `copied without a snapshot (${String(error)})`);
      return null;
    }
  }

  async below({ folder, path, depth }: Place): Promise<void> {
    for (const name of await readdir(`/proc/self/fd/${folder.fd}`, { encoding: "buffer" })) {
      const text = name.toString();
      if (depth === 0 && (STORE_FILES.includes(text) || NOT_KEPT.test(text))) continue;
      const below = path === "" ? text : `${path}/${text}`;
      const reason = this.#limit(name, below, depth);
      if (reason !== null) this.#leaveOut(below, reason);
      else await this.#add({ folder, path: below, depth }, name);
    }
  }

  #limit(name: Buffer, path: string, depth: number): string | null {
    if (!isUtf8(name)) return "its name is not UTF-8";
    if (Buffer.byteLength(path) > MAX_PATH_BYTES || depth > MAX_DEPTH) return "its path is too long";
    return this.#members >= MAX_MEMBERS ? `the folder has more than ${MAX_MEMBERS} files` : null;
  }

  /** A file that was removed or replaced meanwhile is none of the snapshot. */
  async #add({ folder, path, depth }: Place, name: Buffer): Promise<void> {
    const file = entryPath(folder, name);
    try {
      const stat = await lstat(file);
      if (stat.isDirectory()) await this.#addFolder({ folder, path, depth }, file, stat);
      else if (stat.isSymbolicLink()) await this.#addLink(path, file, stat);
      else if (stat.isFile()) {
        await using opened = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
        const found = await opened.stat();
        if (found.isFile()) await this.#addFile(path, opened, found);
      }
    } catch (error) {
      if (hasCode(error, "ENOENT", "ELOOP", "ENOTDIR", "ENXIO")) return;
      if (!hasCode(error, "EACCES", "EPERM", "EIO")) throw error;
      this.#leaveOut(path, String((error as NodeJS.ErrnoException).code));
    }
  }

  async #addFolder({ path, depth }: Place, file: Buffer, stat: Stats): Promise<void> {
    await using folder = await open(file, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    await this.#write({ ...memberOf(path, stat), type: "directory" });
    await this.below({ folder, path, depth: depth + 1 });
  }

  async #addLink(path: string, file: Buffer, stat: Stats): Promise<void> {
    const target = await readlink(file, { encoding: "buffer" });
    if (!isUtf8(target)) return this.#leaveOut(path, "its target is not UTF-8");
    await this.#write({ ...memberOf(path, stat), type: "symlink", target: target.toString() });
  }

  async #addFile(path: string, file: FileHandle, stat: Stats): Promise<void> {
    const { size, blocks } = stat;
    if (size > MAX_FILE_BYTES) return this.#leaveOut(path, "larger than 16 GiB");
    // A command can make a file of any size from holes, whatever its disk quota is.
    if (size > SPARSE_BYTES && blocks * BLOCK_BYTES < size / 2)
      return this.#leaveOut(path, "larger than 1 GiB, and mostly holes");
    await this.#write({ ...memberOf(path, stat), type: "file", size }, contentOf(file, size));
  }

  async #write(member: Member, body?: AsyncIterable<Uint8Array>): Promise<void> {
    this.#members++;
    await this.#tar.add(member, body);
  }
}

/** The first `size` bytes. One that became shorter is filled with zeros, as tar does. */
async function* contentOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size;) {
    const buffer = Buffer.alloc(Math.min(BUFFER_BYTES, size - at));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    const chunk = bytesRead === 0 ? buffer : buffer.subarray(0, bytesRead);
    at += chunk.length;
    yield chunk;
  }
}

const memberOf = (path: string, { mode, mtime }: Stats): Omit<Member, "type"> => ({
  path,
  size: 0,
  mode: mode & 0o777,
  modifiedAt: mtime,
  target: "",
});

/** Through its open folder, so that no part of the path can become a link. Names are bytes. */
const entryPath = ({ fd }: FileHandle, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`/proc/self/fd/${fd}/`), name]);

async function openUnlessMissing(file: Buffer): Promise<FileHandle | null> {
  try {
    return await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ELOOP", "ENXIO")) return null;
    throw error;
  }
}
