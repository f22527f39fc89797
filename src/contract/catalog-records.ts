import type { Actor } from "./orchestrator-events.ts";
import type { IsoTime } from "./iso-time.ts";

/** A file of a product's catalog. */
export interface CatalogFile {
  readonly path: string;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
  /** Whether it has the mode of an executable file. */
  readonly executable: boolean;
}

/** A fault in a catalog, or a possible mistake. */
export interface CatalogFault {
  /** The path below the catalog's folder, or `(archive)`. */
  readonly path: string;
  /** Omitted if it concerns the whole file. */
  readonly line?: number | undefined;
  readonly message: string;
}

/** A version of a product's catalog. Versions count from 1; 0 is the one before the first push, without a file. */
export interface CatalogVersion {
  readonly version: number;
  /** SHA-256 over its files in hex; the same files have the same digest. Null without a file. */
  readonly digest: string | null;
  /** Unpacked. */
  readonly bytes: number;
  readonly files: number;
  /** The version that a rollback restored, or null. */
  readonly restored_from: number | null;
  /** Null for version 0, as is the actor. */
  readonly created_at: IsoTime | null;
  readonly actor: Actor | null;
}

/** The current version of a product's catalog, with its files by path. */
export type ProductCatalogRecord = Omit<CatalogVersion, "files"> & { readonly files: readonly CatalogFile[] };

export interface CatalogHistory {
  /** The newest first. */
  readonly versions: readonly CatalogVersion[];
}

/** The changed paths between two versions. */
export interface CatalogChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** The reloads of the product's running engines. Sleeping and stopped engines use the version from their next start. */
export interface CatalogRollout {
  readonly running: number;
  /** The number of engines that use the version now. */
  readonly reloaded: number;
  /** At most 20 of the other engines. Their reload is retried. */
  readonly failed: readonly { readonly user_id: string; readonly reason: string }[];
}

/** The answer to a push or a rollback. */
export interface CatalogPushed extends CatalogVersion {
  /** False if the current version has the same files already. */
  readonly is_new: boolean;
  readonly changes: CatalogChanges;
  readonly warnings: readonly CatalogFault[];
  /** Null for a dry run. */
  readonly engines: CatalogRollout | null;
}
