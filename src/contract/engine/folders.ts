/** How the names of folders that the next start of an engine removes begin. A backup leaves them out. */
export const TEMPORARY_PREFIX = "tmp-";

/** In an engine's folder, beside its workspace: contents of files for rewinds. Confined tools cannot reach it. */
export const CHECKPOINTS_FOLDER = "checkpoints";
