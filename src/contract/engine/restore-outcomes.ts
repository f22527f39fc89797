/** Entries of each list of files in the answer to a rewind. */
export const RESTORE_LISTED = 1000;

export const RESTORE_ACTIONS = ["write", "remove", "make_folder", "remove_folder"] as const;
export type RestoreAction = (typeof RESTORE_ACTIONS)[number];

/** Why the content of a file is not in the store of checkpoints. */
export const NOT_CAPTURED = ["by_command", "too_large", "unreadable", "disk_full", "switched_off"] as const;
export type NotCaptured = (typeof NOT_CAPTURED)[number];

/** Why a path cannot be restored. */
export const UNRESTORABLE = [...NOT_CAPTURED, "removed_from_store", "not_a_file"] as const;
export type Unrestorable = (typeof UNRESTORABLE)[number];

/** Why it is not known what a call changed. */
export const UNCOMPARED = ["running", "interrupted", "too_large", "too_many", "unreadable", "forgotten"] as const;
export type Uncompared = (typeof UNCOMPARED)[number];
