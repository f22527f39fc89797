import { InvalidBackup } from "./invalid-backup.ts";
import type { Member } from "../shared/tar.ts";

/** Of one section. Bounds the memory of what must be remembered of them. */
export const MAX_MEMBERS = 500_000;
const MAX_NAME_BYTES = 255;
/** Below PATH_MAX, with room for the folder in which a section is restored. */
export const MAX_PATH_BYTES = 3500;
const MAX_TARGET_BYTES = 4095;
export const MAX_FILE_BYTES = 16 * 1024 ** 3;
export const MAX_FOLDER_BYTES = 64 * 1024 ** 3;

/**
 * Judges the members of one section in their order. A member's folder comes before it, so that no member lies below a
 * link or a file. Throws {@link InvalidBackup}.
 */
export class MemberRules {
  readonly #types = new Map<string, Member["type"]>();
  #bytes = 0;

  /** `path` is relative to the section. */
  accept({ path, type, size, target }: Member): void {
    const refuse = (reason: string): never => {
      throw new InvalidBackup(`member ${JSON.stringify(path.slice(0, 300))}: ${reason}`);
    };
    const names = path.split("/");
    if (path === "" || names.some((name) => name === "" || name === "." || name === ".." || name.includes("\0")))
      refuse("expected a relative path without empty, . or .. parts");
    if (names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES) || Buffer.byteLength(path) > MAX_PATH_BYTES)
      refuse(`expected names of at most ${MAX_NAME_BYTES} bytes and a path of at most ${MAX_PATH_BYTES}`);
    if (type === "other") refuse("expected a file, a folder or a symbolic link");
    if (type === "symlink" && (target === "" || target.includes("\0") || Buffer.byteLength(target) > MAX_TARGET_BYTES))
      refuse(`expected a target of 1 to ${MAX_TARGET_BYTES} bytes`);
    if (this.#types.has(path)) refuse("it occurs twice");
    const parent = names.slice(0, -1).join("/");
    if (parent !== "" && this.#types.get(parent) !== "directory") refuse("expected its folder before it");
    this.#bytes += size;
    if (size > MAX_FILE_BYTES || this.#bytes > MAX_FOLDER_BYTES) refuse("the file or its section is too large");
    if (this.#types.size >= MAX_MEMBERS) refuse(`expected at most ${MAX_MEMBERS} members in a section`);
    this.#types.set(path, type);
  }
}
