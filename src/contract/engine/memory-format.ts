/** The format of `GET /memory/export` and `POST /memory/import`: one JSON object per line. */
export const MEMORY_FORMAT = "orchd-memory";
/** Raised when readers of the previous version would misread a file. */
export const MEMORY_FORMAT_VERSION = 2;
export const MEMORY_FILE_TYPE = "application/x-ndjson";

export const MEMORY_LISTS = ["episodes", "knowledge", "social", "working", "trajectories"] as const;
export type MemoryList = (typeof MEMORY_LISTS)[number];
