import { createHash } from "node:crypto";
import type { AttachmentLimits } from "../../contract/engine/attachment-limits.ts";
import type { AttachmentRecord } from "../../contract/engine/attachment.ts";
import { baseType, detectType } from "./detect-type.ts";
import { formatBytes, nounOf } from "./describe-file.ts";
import { nameOfType, plainName } from "./file-name.ts";
import { imageSize } from "./image-size.ts";

/** Pixels. No model reads larger ones, and their decoders should not have to refuse them. */
const MAX_SIDE = 16_384;

export interface NewFile {
  readonly bytes: Buffer;
  readonly name?: string | undefined;
  /** The media type that the sender claims. */
  readonly claimed?: string | undefined;
}

/** A file before it has its place in the workspace. */
export type CheckedFile = Omit<AttachmentRecord, "path">;
export type FileVerdict =
  | { readonly kind: "fits"; readonly file: CheckedFile }
  | { readonly kind: "refused"; readonly problem: string };

/** Determines type, size and name of a file from its bytes. With `mustBeImage`, anything else is refused. */
export function checkFile({ bytes, name = "", claimed = "" }: NewFile, { mustBeImage = false } = {}): FileVerdict {
  if (bytes.length === 0) return refused("expected at least 1 byte");
  const { kind, mediaType } = detectType(bytes, claimed);
  if (mustBeImage && kind !== "image")
    return refused(`expected a PNG, JPEG, GIF or WebP image, found ${foundType(mediaType)}`);
  const size = kind === "image" ? imageSize(bytes, mediaType) : null;
  if (kind === "image" && size === null)
    return refused(`expected an image, the header of this ${mediaType} is damaged`);
  if (size !== null && Math.max(size.width, size.height) > MAX_SIDE)
    return refused(`expected an image of at most ${MAX_SIDE} pixels a side, found ${size.width} x ${size.height}`);
  const claimedType = ALIASES[baseType(claimed)] ?? baseType(claimed);
  return {
    kind: "fits",
    file: {
      kind,
      name: plainName(name, nameOfType(kind, mediaType)),
      media_type: mediaType,
      ...(claimedType !== "" && claimedType !== mediaType && { claimed_media_type: claimedType }),
      bytes: bytes.length,
      digest: digestOf(bytes),
      ...size,
    },
  };
}

export const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const ALIASES: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "audio/x-wav": "audio/wav",
  "audio/wave": "audio/wav",
  "audio/mp3": "audio/mpeg",
  "audio/x-m4a": "audio/mp4",
  "application/x-pdf": "application/pdf",
};

const foundType = (mediaType: string): string =>
  mediaType === "image/svg+xml" ? "SVG, which is accepted as a file" : mediaType;

const refused = (problem: string): FileVerdict => ({ kind: "refused", problem });

/** Index of the first file that the policy does not allow; null when it allows all of them. */
export function limitProblem(
  files: readonly Pick<AttachmentRecord, "kind" | "bytes">[],
  { mb, count, kinds }: AttachmentLimits,
): { readonly at: number; readonly problem: string } | null {
  let bytes = 0;
  for (const [at, file] of files.entries()) {
    bytes += file.bytes;
    if (mb === 0 || count === 0) return { at, problem: "the policy allows no attachments" };
    if (at >= count) return { at, problem: `the policy allows ${count} attachments together` };
    if (!kinds.includes(file.kind)) return { at, problem: `the policy does not allow ${nounOf(file)} attachments` };
    if (bytes > mb * 1024 * 1024)
      return {
        at,
        problem: `the policy allows ${mb} MiB of attachments together, up to this one they have ${formatBytes(bytes)}`,
      };
  }
  return null;
}
