/** Letters, digits and what ordinary names have. Not: separators, quotes, brackets, control and format characters. */
const UNUSUAL = /[^\p{L}\p{M}\p{N} ._()+,@&-]/gu;
const MAX_NAME = 100;

/** A file's name as it is shown: without path, hidden characters and markup. Empty names become `fallback`. */
export function plainName(name: string, fallback: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  const plain = last.toWellFormed().normalize("NFC").replaceAll(UNUSUAL, "_").replaceAll(/\s+/g, " ").trim();
  const visible = plain.replace(/^[._ ]+/, "");
  return shortened(visible === "" ? fallback : visible, MAX_NAME).trim();
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "application/pdf": "pdf",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/flac": "flac",
  "audio/mp4": "m4a",
  "text/plain": "txt",
  "text/html": "html",
  "image/svg+xml": "svg",
};

/** For a file without a name. */
export const nameOfType = (kind: string, mediaType: string): string =>
  kind === "other" ? "file" : `${kind}.${EXTENSIONS[mediaType] ?? "txt"}`;

const MAX_PATH_BYTES = 80;

/** The name under which a file is stored: it begins with its digest, and needs no quotes in a shell. */
export function storedName(digest: string, name: string): string {
  const safe = name.replaceAll(/[^\p{L}\p{N}._-]/gu, "_");
  return `${digest.slice(0, 16)}-${withinBytes(safe, MAX_PATH_BYTES)}`;
}

/** Keeps the extension. */
function shortened(name: string, max: number): string {
  if (name.length <= max) return name;
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  // Without half a pair at the cut.
  return `${name.slice(0, max - extension.length).replace(/[\ud800-\udbff]$/, "")}${extension}`;
}

function withinBytes(name: string, max: number): string {
  let kept = name;
  while (Buffer.byteLength(kept) > max)
    kept = shortened(kept, kept.length - Math.max(1, Math.ceil((Buffer.byteLength(kept) - max) / 4)));
  return kept;
}
