import type { AttachmentPart } from "./records.ts";

export interface AttachmentOptions {
  /** The name of a `File` by default. */
  readonly name?: string | undefined;
  /** The type of a `Blob` by default. The engine detects the type from the bytes. */
  readonly mediaType?: string | undefined;
  /** `image` refuses anything else; `file`, the default, takes any type, images included. */
  readonly type?: "image" | "file" | undefined;
}

/**
 * A part of a message, of a `Blob` or `File`, or of bytes: in browsers from a form field, in Node.js from `readFile` or
 * `openAsBlob`.
 */
export async function attachment(
  source: Blob | ArrayBuffer | Uint8Array,
  {
    name = nameOf(source),
    mediaType = source instanceof Blob ? source.type : "",
    type = "file",
  }: AttachmentOptions = {},
): Promise<AttachmentPart> {
  const bytes = source instanceof Uint8Array ? source : new Uint8Array(await bufferOf(source));
  return {
    type,
    data: base64(bytes),
    ...(name !== "" && { name }),
    ...(mediaType !== "" && { media_type: mediaType }),
  };
}

const bufferOf = (source: Blob | ArrayBuffer): Promise<ArrayBuffer> | ArrayBuffer =>
  source instanceof Blob ? source.arrayBuffer() : source;

/** `File` is not global in older Node.js. */
const nameOf = (source: object): string => ("name" in source && typeof source.name === "string" ? source.name : "");

/** A multiple of three, so that the encoded chunks join. A larger chunk would exceed the limit of arguments. */
const CHUNK_BYTES = 3 * 8192;

function base64(bytes: Uint8Array): string {
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    chunks.push(btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES))));
  return chunks.join("");
}
