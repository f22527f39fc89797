/** The events `file_changed` of one call. */
export const MAX_FILE_EVENTS = 100;
