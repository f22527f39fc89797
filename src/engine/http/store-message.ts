import type { AttachmentLimits } from "../../contract/engine/attachment-limits.ts";
import type { AttachmentRecord } from "../../contract/engine/attachment.ts";
import type { MessageContent, MessagePart } from "../../contract/engine/message-content.ts";
import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import type { ExecuteRequest } from "../../contract/engine/requests.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { type CheckedFile, checkFile, digestOf, limitProblem } from "../attachments/check-file.ts";
import type { UserContent, UserPart } from "../attachments/user-content.ts";
import { EngineError } from "../engine-error.ts";
import type { AttachmentFiles } from "../tools/attachments/attachment-files.ts";
import { ToolFailed } from "../tools/tool.ts";

export interface MessageStorage {
  readonly files: AttachmentFiles;
  readonly limits: AttachmentLimits;
}

type FilePart = Exclude<MessagePart, { type: "text" }>;
type Checked =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "new"; readonly file: CheckedFile; readonly bytes: Buffer }
  | { readonly kind: "there"; readonly file: AttachmentRecord };

/**
 * Checks all parts of a message, then writes the files of its attachments. Throws for the first part that does not fit,
 * named by its field; then nothing was written. A crash before the turn is stored leaves files, which a retry uses.
 */
export async function storeMessage(message: MessageContent, { files, limits }: MessageStorage): Promise<UserContent> {
  if (typeof message === "string") return message;
  const checked: Checked[] = [];
  const attached: Exclude<Checked, { kind: "text" }>[] = [];
  for (const [at, part] of message.entries()) {
    const place = `message.${at}`;
    const one: Checked = part.type === "text" ? { kind: "text", text: part.text } : await check(part, place, files);
    checked.push(one);
    if (one.kind === "text") continue;
    attached.push(one);
    // Before the next file is read.
    const excess = limitProblem(
      attached.map(({ file }) => file),
      limits,
    );
    if (excess !== null) throw refused(`${place}: ${excess.problem}`);
  }
  if (attached.length === 0) return joined(checked);
  const bytes = attached.reduce((sum, part) => sum + (part.kind === "new" ? part.bytes.length : 0), 0);
  const full = bytes === 0 ? null : await files.admit(bytes);
  if (full !== null) throw refused(`message: ${full}`);
  const parts: UserPart[] = [];
  for (const part of checked) parts.push(await store(part, files));
  return parts;
}

async function check(part: FilePart, place: string, files: AttachmentFiles): Promise<Checked> {
  const { type, data, path, name = path, media_type: claimed } = part;
  const opened = path === undefined ? null : await open(path, place, files);
  const bytes = opened?.bytes ?? decoded(data ?? "", place);
  const verdict = checkFile({ bytes, name, claimed }, { mustBeImage: type === "image" });
  const field = `${place}.${path === undefined ? "data" : "path"}`;
  if (verdict.kind === "refused") throw new InvalidInput(field, verdict.problem);
  const { file } = verdict;
  return opened === null ? { kind: "new", file, bytes } : { kind: "there", file: { ...file, path: opened.path } };
}

/** `Buffer.from` skips characters that are not base64, so a shorter result shows an invalid text. */
function decoded(data: string, place: string): Buffer {
  const bytes = Buffer.from(data, "base64");
  const characters = data.length - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);
  if (characters % 4 === 1 || bytes.length !== Math.floor((characters * 3) / 4))
    throw new InvalidInput(`${place}.data`, "expected base64 without white space and without a `data:` prefix");
  return bytes;
}

async function open(path: string, place: string, files: AttachmentFiles): ReturnType<AttachmentFiles["open"]> {
  try {
    return await files.open(path);
  } catch (error) {
    if (error instanceof ToolFailed) throw new InvalidInput(`${place}.path`, error.message.replace(/^path: /, ""));
    throw error;
  }
}

async function store(part: Checked, files: AttachmentFiles): Promise<UserPart> {
  if (part.kind === "text") return part;
  if (part.kind === "there") return { kind: "attachment", file: part.file };
  try {
    return { kind: "attachment", file: await files.write(part.file, part.bytes) };
  } catch (error) {
    if (!(error instanceof ToolFailed)) throw error;
    throw new EngineError("INTERNAL_ERROR", `message: an attachment cannot be stored: ${error.message}`);
  }
}

const joined = (parts: readonly Checked[]): string =>
  parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");

const refused = (message: string): EngineError => new EngineError("PAYLOAD_TOO_LARGE", message);

/** Identifies a call's body, for its `Idempotency-Key`. Bytes count by their digest. */
export function bodyHash(execution: ExecuteRequest): string {
  const { message } = execution;
  if (message === undefined || typeof message === "string") return sha256(JSON.stringify(execution));
  const parts = message.map((part) =>
    part.type === "text" || part.data === undefined
      ? part
      : { ...part, data: digestOf(Buffer.from(part.data, "latin1")) },
  );
  return sha256(JSON.stringify({ ...execution, message: parts }));
}
