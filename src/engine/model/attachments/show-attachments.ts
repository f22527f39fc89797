import type { AttachmentRecord } from "../../../contract/engine/attachment.ts";
import type { ProviderName, ReadableKind } from "../../../contract/settings/engine-settings.ts";
import { readModelName } from "../../../contract/settings/model-name.ts";
import { describeFile, nounOf } from "../../attachments/describe-file.ts";
import type { FilePart, ModelMessage, ToolOutcome } from "../model-provider.ts";
import { type ReadableFiles, readableFiles } from "./readable-files.ts";

/** What one request may carry, below the limits of all providers. */
const MAX_FILES = 20;
const MAX_PDFS = 5;
const MAX_BYTES = 20 * 1024 * 1024;
const SHARE_OF_WINDOW = 0.5;

/** Decides which attachments of a conversation the model is shown. The others become a line of text. */
export type ShowAttachments = (messages: readonly ModelMessage[], model: string) => ModelMessage[];

/**
 * Shows only the newest files of a conversation that has more than a request may carry. When the files exceed the limit,
 * the oldest are dropped to half of it, so that the prefix of the request seldom changes. Depends only on the messages.
 */
export function createShowAttachments({
  provider,
  override,
  windowOf,
}: {
  /** Of models whose name has no provider. The override is for its models only. */
  readonly provider: ProviderName;
  readonly override: readonly ReadableKind[] | null;
  /** The context window of a model, in tokens. */
  readonly windowOf: (model: string) => number;
}): ShowAttachments {
  return (messages, model) => {
    if (!messages.some(hasFiles)) return [...messages];
    const named = readModelName(model, provider);
    const rules = readableFiles(named.provider, named.model, named.provider === provider ? override : null);
    const limits: Load = {
      files: MAX_FILES,
      pdfs: MAX_PDFS,
      bytes: MAX_BYTES,
      tokens: windowOf(model) * SHARE_OF_WINDOW,
    };
    const shown = newest(
      messages.map((message) => readable(message, rules)),
      limits,
    );
    return messages.map((message) => withNotes(message, { rules, limits, shown }));
  };
}

interface Load {
  readonly files: number;
  readonly pdfs: number;
  readonly bytes: number;
  readonly tokens: number;
}

interface Sized {
  readonly file: AttachmentRecord;
  readonly load: Load;
}

const hasFiles = (message: ModelMessage): boolean => filesIn(message).length > 0;

function filesIn(message: ModelMessage): readonly AttachmentRecord[] {
  if (message.role === "user")
    return (message.parts ?? []).flatMap((part) => (part.kind === "attachment" ? [part.file] : []));
  return message.role === "tool" ? message.results.flatMap(({ attachments = [] }) => attachments) : [];
}

const readable = (message: ModelMessage, rules: ReadableFiles): readonly Sized[] =>
  filesIn(message)
    .filter((file) => unreadable(file, rules) === null)
    .map((file) => ({
      file,
      load: { files: 1, pdfs: file.kind === "pdf" ? 1 : 0, bytes: file.bytes, tokens: rules.tokens(file) },
    }));

/** The files to show: those of the newest messages. Of one message that exceeds the limits, the last files. */
function newest(messages: readonly (readonly Sized[])[], limits: Load): ReadonlySet<AttachmentRecord> {
  let kept: (readonly Sized[])[] = [];
  for (const files of messages) {
    if (files.length === 0) continue;
    kept.push(files);
    if (fits(kept.flat(), limits, 1)) continue;
    while (kept.length > 1 && !fits(kept.flat(), limits, 0.5)) kept = kept.slice(1);
    let last = files;
    while (!fits(last, limits, 1)) last = last.slice(1);
    if (kept.length === 1) kept = [last];
  }
  return new Set(kept.flat().map(({ file }) => file));
}

const fits = (files: readonly Sized[], limits: Load, share: number): boolean =>
  (["files", "pdfs", "bytes", "tokens"] as const).every(
    (name) => files.reduce((sum, { load }) => sum + load[name], 0) <= limits[name] * share,
  );

interface View {
  readonly rules: ReadableFiles;
  readonly limits: Load;
  readonly shown: ReadonlySet<AttachmentRecord>;
}

function withNotes(message: ModelMessage, view: View): ModelMessage {
  if (message.role === "user" && message.parts !== undefined)
    return {
      ...message,
      parts: message.parts.map((part) => (part.kind === "attachment" ? show(part.file, view) : part)),
    };
  if (message.role === "tool")
    return { ...message, results: message.results.map((result) => shownResult(result, view)) };
  return message;
}

function shownResult(result: ToolOutcome, view: View): ToolOutcome {
  const { attachments = [], ...rest } = result;
  // Text and other files are in the workspace, as the result says.
  const files = attachments.filter(({ kind }) => kind !== "text" && kind !== "other");
  return files.length === 0 ? rest : { ...rest, parts: files.map((file) => show(file, view)) };
}

function show(file: AttachmentRecord, { rules, limits, shown }: View): FilePart {
  if (shown.has(file)) return { kind: "attachment", file, tokens: rules.tokens(file) };
  const reason = unreadable(file, rules) ?? (rules.tokens(file) > limits.tokens ? TOO_LARGE : EARLIER);
  return { kind: "text", text: attachmentNote(file, reason) };
}

const TOO_LARGE = "it is larger than this model can read at once";
const EARLIER = "the conversation has newer attachments; this one is no longer shown";

/** Why the model cannot read a file, or null. */
function unreadable(
  { kind, media_type: type, bytes, width = 0, height = 0 }: AttachmentRecord,
  rules: ReadableFiles,
): string | null {
  if (kind === "text") return null;
  if (kind === "other") return "models cannot read files of this type";
  if (!rules.reads.has(kind)) return `this model cannot read ${PLURALS[kind]}`;
  if (!rules.mediaTypes.test(type)) return `this model cannot read ${type}`;
  if (kind !== "image") return null;
  if (bytes > rules.maxImageBytes)
    return `this model reads images of at most ${Math.floor(rules.maxImageBytes / 1e5) / 10} MB`;
  const side = Math.max(width, height);
  return side > rules.maxImageSide ? `this model reads images of at most ${rules.maxImageSide} pixels a side` : null;
}

const PLURALS: Readonly<Record<ReadableKind, string>> = { image: "images", pdf: "PDF documents", audio: "audio" };

/** The text that replaces a file which the model is not shown. */
export const attachmentNote = (file: AttachmentRecord, reason: string): string =>
  `[${/^[aeiou]/.test(nounOf(file)) ? "an" : "a"} ${nounOf(file)} was attached; ${reason}: ${describeFile(file)}]`;
