import type { TrustLabel } from "./memory-records.ts";

/**
 * The file that `GET /memory/export` gives and `POST /memory/import` takes: one JSON object a line. The first is a
 * {@link MemoryFileHeader}, the last a {@link MemoryFileEnd}: a file without that was cut.
 */
export const MEMORY_FORMAT = "orchd-memory";
/** Raised when a reader of the version before would misunderstand a file. */
export const MEMORY_FORMAT_VERSION = 1;
export const MEMORY_FILE_TYPE = "application/x-ndjson";

export interface MemoryFileHeader {
  readonly type: "header";
  readonly format: typeof MEMORY_FORMAT;
  readonly version: number;
  /** Of the package that wrote it. */
  readonly engine_version: string;
  readonly engine_id: string;
  readonly user_id: string;
  readonly product: string;
  readonly exported_at: string;
}

export interface MemoryFileEnd {
  readonly type: "end";
  /** How many records of each type came before. */
  readonly counts: Readonly<Record<string, number>>;
}

/** What all have; the rest is named as in the engine's lists. Times are ISO 8601 UTC. */
export interface MemoryFileRecord {
  readonly type: string;
  readonly id?: string;
  readonly trust?: TrustLabel;
  readonly [field: string]: unknown;
}

export type MemoryFileLine = MemoryFileHeader | MemoryFileRecord | MemoryFileEnd;

/** What an import did, by type of record. */
export interface MemoryImported {
  readonly imported: Readonly<Record<string, number>>;
  /** Were there already, or belong to what was, and were left as they are. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** What an erasure took: rows by table, files by sort. */
export interface MemoryErased {
  readonly erased: Readonly<Record<string, number>>;
}
