import { CATALOG_LIMITS } from "../../contract/orchestrator/catalog-limits.ts";
import type { Member } from "../../shared/tar.ts";

/** Judges the entries of a catalog's archive in their order. */
export class EntryRules {
  readonly #types = new Map<string, "file" | "directory">();
  #entries = 0;

  /** The reason to reject the entry, or null. Throws {@link TooManyEntries} at the limit. */
  problem({ type, path: name }: Member): string | null {
    if (++this.#entries > CATALOG_LIMITS.entries) throw new TooManyEntries();
    const path = entryPath(name);
    if (path === "") return type === "directory" ? null : "expected a path";
    const parts = path.split("/");
    if (name.startsWith("/")) return "expected a relative path";
    if (parts.some((part) => part === "" || part === "." || part === ".."))
      return "expected a path without empty, . or .. parts";
    if (/[\p{Cc}\p{Cs}\\\ufffd]/u.test(path))
      return "expected a path in UTF-8 without control characters and backslashes";
    if (Buffer.byteLength(path) > CATALOG_LIMITS.pathBytes) return `expected at most ${CATALOG_LIMITS.pathBytes} bytes`;
    if (parts.length > CATALOG_LIMITS.depth) return `expected at most ${CATALOG_LIMITS.depth} levels`;
    if (type === "symlink") return "expected a file or a folder, got a link";
    if (type === "other") return "expected a file or a folder, got a hard link, a device or another kind of entry";
    return this.#place(parts, type);
  }

  /** The files of a folder may come before the folder's own entry. */
  #place(parts: readonly string[], type: "file" | "directory"): string | null {
    for (let length = 1; length < parts.length; length++) {
      const parent = parts.slice(0, length).join("/");
      if (this.#types.get(parent) === "file") return `${parent} is already a file`;
      this.#types.set(parent, "directory");
    }
    const path = parts.join("/");
    const before = this.#types.get(path);
    this.#types.set(path, type);
    if (before === undefined || (before === "directory" && type === "directory")) return null;
    return "the path occurs twice in the archive";
  }
}

export class TooManyEntries extends Error {}

/** Archives of a folder's content begin their paths with `./`. */
export const entryPath = (name: string): string => (name === "." ? "" : name.replace(/^(?:\.\/)+/, ""));
