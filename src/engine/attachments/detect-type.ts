import { isUtf8 } from "node:buffer";
import type { AttachmentKind } from "../../contract/engine/attachment-limits.ts";

export interface DetectedType {
  readonly kind: AttachmentKind;
  readonly mediaType: string;
}

const MEDIA_TYPE = /^[a-z0-9][a-z0-9.+-]{0,63}\/[a-z0-9][a-z0-9.+-]{0,126}$/;
/** Enough for a declaration and comments before the root element. */
const MARKUP_BYTES = 1024;

/** Detects the type of a file from its bytes. The type that its sender `claimed` decides only where they are ambiguous. */
export function detectType(bytes: Buffer, claimed = ""): DetectedType {
  const binary = byMagic(bytes);
  if (binary !== null) return binary;
  const claimedType = baseType(claimed);
  if (isUtf8(bytes) && !bytes.includes(0)) return { kind: "text", mediaType: textType(bytes, claimedType) };
  return { kind: "other", mediaType: isUnknownBinary(claimedType) ? claimedType : "application/octet-stream" };
}

/** A media type without its parameters, in lower case; empty when it is invalid. */
export function baseType(claimed: string): string {
  const [type = ""] = claimed.toLowerCase().split(";");
  return MEDIA_TYPE.test(type.trim()) ? type.trim() : "";
}

function byMagic(bytes: Buffer): DetectedType | null {
  const text = (from: number, to: number) => bytes.toString("latin1", from, to);
  if (text(0, 8) === "\x89PNG\r\n\x1a\n") return { kind: "image", mediaType: "image/png" };
  if (text(0, 3) === "\xff\xd8\xff") return { kind: "image", mediaType: "image/jpeg" };
  if (text(0, 6) === "GIF87a" || text(0, 6) === "GIF89a") return { kind: "image", mediaType: "image/gif" };
  if (text(0, 4) === "RIFF" && text(8, 12) === "WEBP") return { kind: "image", mediaType: "image/webp" };
  if (text(0, 5) === "%PDF-") return { kind: "pdf", mediaType: "application/pdf" };
  if (text(0, 4) === "RIFF" && text(8, 12) === "WAVE") return { kind: "audio", mediaType: "audio/wav" };
  if (text(0, 4) === "OggS") return { kind: "audio", mediaType: "audio/ogg" };
  if (text(0, 4) === "fLaC") return { kind: "audio", mediaType: "audio/flac" };
  if (text(4, 11) === "ftypM4A") return { kind: "audio", mediaType: "audio/mp4" };
  if (text(0, 3) === "ID3" || isMp3Frame(bytes)) return { kind: "audio", mediaType: "audio/mpeg" };
  return null;
}

/** Layer III with valid bit rate and sampling rate. */
const isMp3Frame = ([first = 0, second = 0, third = 0]: Buffer): boolean =>
  first === 0xff &&
  (second & 0xe6) === 0xe2 &&
  (second & 0x18) !== 0x08 &&
  (third & 0xf0) !== 0xf0 &&
  (third & 0x0c) !== 0x0c;

function textType(bytes: Buffer, claimedType: string): string {
  const start = bytes.toString("utf8", 0, MARKUP_BYTES);
  if (/<svg[\s>]/i.test(start)) return "image/svg+xml";
  if (/^\s*(?:<!doctype html|<html[\s>])/i.test(start)) return "text/html";
  return isTextType(claimedType) ? claimedType : "text/plain";
}

const isTextType = (type: string): boolean =>
  (type.startsWith("text/") && type !== "text/html") ||
  /^application\/(?:json|xml|yaml|toml|javascript|sql)$/.test(type);

/** A claimed type that the bytes neither confirm nor contradict, such as an office document. */
const isUnknownBinary = (type: string): boolean =>
  /^(?:application|video|font|model)\//.test(type) && type !== "application/pdf" && !isTextType(type);
