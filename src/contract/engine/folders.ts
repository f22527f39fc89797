/** How the names of folders that the next start of an engine removes begin. A backup leaves them out. */
export const TEMPORARY_PREFIX = "tmp-";
