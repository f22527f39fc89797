/** Limits of a product's catalog, as an archive and unpacked. */
export const CATALOG_LIMITS = {
  archiveBytes: 8 * 1024 * 1024,
  /** The total size of all files. */
  bytes: 32 * 1024 * 1024,
  /** The largest compression ratio beyond the first MiB. */
  ratio: 100,
  /** Files and folders. */
  entries: 2000,
  pathBytes: 255,
  depth: 10,
} as const;

/** The path of a fault that concerns the archive itself. */
export const ARCHIVE = "(archive)";
