/** MiB of file contents that an engine keeps for rewinds, unless its policy says otherwise. */
export const DEFAULT_CHECKPOINT_MB = 256;
