import type { TrustLabel } from "./memory-records.ts";

/**
 * The format of `GET /memory/export` and `POST /memory/import`: one JSON object per line. The first is a
 * {@link MemoryFileHeader}, the last a {@link MemoryFileEnd}. A file without an end is truncated.
 */
export const MEMORY_FORMAT = "orchd-memory";
/** Raised when readers of the previous version would misread a file. */
export const MEMORY_FORMAT_VERSION = 1;
export const MEMORY_FILE_TYPE = "application/x-ndjson";

export interface MemoryFileHeader {
  readonly type: "header";
  readonly format: typeof MEMORY_FORMAT;
  readonly version: number;
  /** The version of the package that wrote the file. */
  readonly engine_version: string;
  readonly engine_id: string;
  readonly user_id: string;
  readonly product: string;
  readonly exported_at: string;
}

export interface MemoryFileEnd {
  readonly type: "end";
  /** The number of records by type. */
  readonly counts: Readonly<Record<string, number>>;
}

/** The common fields. The others are named as in the engine's lists. Times are ISO 8601 UTC. */
export interface MemoryFileRecord {
  readonly type: string;
  readonly id?: string;
  readonly trust?: TrustLabel;
  readonly [field: string]: unknown;
}

export type MemoryFileLine = MemoryFileHeader | MemoryFileRecord | MemoryFileEnd;

/** The result of an import, by type of record. */
export interface MemoryImported {
  readonly imported: Readonly<Record<string, number>>;
  /** Records that existed before, or belong to one that did. They do not change. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** The result of an erasure: rows by table, files by kind. */
export interface MemoryErased {
  readonly erased: Readonly<Record<string, number>>;
}
