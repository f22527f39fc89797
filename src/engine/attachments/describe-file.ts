import type { AttachmentKind } from "../../contract/engine/attachment-limits.ts";
import type { AttachmentRecord } from "../../contract/engine/attachment.ts";

const NOUNS: Readonly<Record<AttachmentKind, string>> = {
  image: "image",
  pdf: "PDF",
  audio: "audio",
  text: "text file",
  other: "file",
};

export const nounOf = ({ kind }: Pick<AttachmentRecord, "kind">): string => NOUNS[kind];

/** `image photo.png, image/png, 800 x 600 pixels, 12.3 kB, at .orch/attachments/…` */
export function describeFile(file: AttachmentRecord): string {
  const { name, media_type: type, claimed_media_type: claimed, width, height, bytes, path } = file;
  return [
    `${nounOf(file)} ${name}`,
    claimed === undefined ? type : `${type} (sent as ${claimed})`,
    ...(width === undefined ? [] : [`${width} x ${height} pixels`]),
    formatBytes(bytes),
    // A tool may have made a file of any name.
    `at ${/[\p{C}\p{Zl}\p{Zp}[\]]/u.test(path) ? JSON.stringify(path) : path}`,
  ].join(", ");
}

/** `12.3 kB` */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${round(bytes / 1000)} kB` : `${round(bytes / 1_000_000)} MB`;
}

const round = (value: number): string =>
  value < 10 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value));
