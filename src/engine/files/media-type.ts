import { extname } from "node:path";

const TEXT = "text/plain; charset=utf-8";
/** What a browser only shows. What it might run, such as HTML and SVG, is left out and sent as bytes. */
const TYPES: Readonly<Record<string, string>> = {
  ".txt": TEXT,
  ".log": TEXT,
  ".md": "text/markdown; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".json": "application/json",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".mp3": "audio/mpeg",
  ".wav": "audio/wav",
  ".mp4": "video/mp4",
  ".zip": "application/zip",
};
const BYTES = "application/octet-stream";

/** The media type of a file by its name. */
export const mediaTypeOf = (path: string): string => TYPES[extname(path).toLowerCase()] ?? BYTES;
