import type { EngineCalls } from "../engine-calls.ts";
import type { ProtocolRequest } from "../protocol.ts";

const MAX_PARTS = 16;
const MAX_NAME_BYTES = 255;
const BREAK = "\r\n";
const HEADERS_END = BREAK + BREAK;

export interface UploadedFile {
  /** Without a path. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The file of a form (RFC 7578). Throws for a form that has none, or anything else. */
export function uploadedFile(calls: EngineCalls, { headers, body }: ProtocolRequest): UploadedFile {
  const refused = (problem: string) => calls.error("INVALID_REQUEST", problem);
  const type = headers["content-type"] ?? "";
  const [, quoted, plain] = /^multipart\/form-data *;.*?boundary=(?:"([^"]{1,70})"|([^;\s"]{1,70}))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw refused("Content-Type: expected multipart/form-data with its boundary");
  const parts = partsOf(
    body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.length) : Buffer.alloc(0),
    boundary,
  );
  if (parts === null) throw refused("body: expected a form with a file, whole");
  const other = parts.find(({ field }) => field !== "file");
  if (other !== undefined) throw refused(`${other.field.slice(0, 100)}: not supported`);
  const [file, ...more] = parts;
  if (file === undefined || more.length > 0) throw refused("file: expected one file");
  const name =
    file.name
      ?.split(/[/\\]/)
      .at(-1)
      ?.replaceAll(/\p{Cc}/gu, "") ?? "";
  if (name === "" || name === "." || name === ".." || Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw refused(`file: expected a file name of 1 to ${MAX_NAME_BYTES} bytes`);
  return { name, bytes: file.bytes };
}

interface Part {
  readonly field: string;
  readonly name: string | undefined;
  readonly bytes: Uint8Array;
}

/** Null for bytes that are no form, or only the beginning of one. */
function partsOf(body: Buffer, boundary: string): readonly Part[] | null {
  const delimiter = `${BREAK}--${boundary}`;
  const first = `--${boundary}`;
  if (body.indexOf(first) !== 0) return null;
  const parts: Part[] = [];
  let at = first.length;
  while (body.toString("latin1", at, at + 2) === BREAK && parts.length < MAX_PARTS) {
    // A part without headers has none of these after its break.
    const headersEnd = body.indexOf(HEADERS_END, at);
    const start = headersEnd + HEADERS_END.length;
    const end = headersEnd === -1 ? -1 : body.indexOf(delimiter, start);
    if (end === -1) return null;
    parts.push({ ...described(body.toString("utf8", at, headersEnd)), bytes: body.subarray(start, end) });
    at = end + delimiter.length;
  }
  return body.toString("latin1", at, at + 2) === "--" ? parts : null;
}

function described(headers: string): Pick<Part, "field" | "name"> {
  const [, disposition = ""] = /^content-disposition: *form-data *;(.*)$/im.exec(headers) ?? [];
  const [, field = ""] = /(?:^|[; ])name="([^"]*)"/i.exec(disposition) ?? [];
  const [, name] = /(?:^|[; ])filename="([^"]*)"/i.exec(disposition) ?? [];
  return { field, name: name?.replaceAll("%22", '"') };
}
