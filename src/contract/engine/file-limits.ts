/** The largest file that the files interface takes, if the disk quota has room for it. */
export const MAX_FILE_BYTES = 16 * 1024 ** 3;
export const ARCHIVE_FORMATS = ["tar.gz", "zip"] as const;
/** Entries of an archive, and of the largest list. */
export const MAX_ARCHIVE_ENTRIES = 50_000;
export const MAX_LISTED = 10_000;
/** Bytes of a path and of each of its names, as Linux has them. */
export const MAX_PATH_BYTES = 4095;
export const MAX_NAME_BYTES = 255;
/** Seconds that a link is valid. */
export const LINK_TTL_S = { default: 600, max: 3600 } as const;
/** Without a byte of an upload for so long, it has failed. */
export const UPLOAD_SILENCE_MS = 60_000;
/** An upload as a whole. */
export const UPLOAD_MS = 3600_000;
export const MAX_TITLE_LENGTH = 200;

/** Whether a request writes a file: at the engine, through the daemon's gateway or as an end user. */
export const isFileUpload = ({
  method,
  url = "",
}: {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}): boolean => method === "PUT" && /^(?:\/me|\/e\/[\w-]+)?\/files\/content(?:[?#]|$)/i.test(url);
