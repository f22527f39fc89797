import * as z from "zod/mini";
import { toolInput } from "./tool-input.ts";
import { type Tool, ToolFailed } from "./tool.ts";
import { readInWorkspace, writeInWorkspace } from "./workspace-files.ts";
import { workspaceResource } from "./workspace-resource.ts";

const MAX_CHARACTERS = 1024 * 1024;
const passage = () => z.string().check(z.maxLength(MAX_CHARACTERS));

type Edit =
  | { readonly kind: "edited"; readonly text: string; readonly lines: readonly number[] }
  /** `message` tells the model the reason and the remedy. */
  | { readonly kind: "refused"; readonly message: string };

const MAX_LINES_LISTED = 10;

export const editFile: Tool<{ path: string; old_text: string; new_text: string; replace_all?: boolean }> = {
  name: "edit_file",
  description:
    "Replaces text in a file of the workspace. old_text must match exactly, and occur once unless replace_all is set.",
  input: toolInput(
    z.object({
      path: z.string().check(z.minLength(1)),
      old_text: passage().check(z.minLength(1), z.describe("The text to replace, exactly as in the file")),
      new_text: passage().check(z.describe("The replacement; empty to delete old_text")),
      replace_all: z.optional(z.boolean().check(z.describe("Replace every occurrence"))),
    }),
  ),
  readOnly: false,
  permission: "ask",
  returns: "own",
  resources: ({ path }) => [workspaceResource(path)],
  path: ({ path }) => path,
  writesBytes: ({ new_text: added }) => Buffer.byteLength(added),
  async run({ path, old_text: passage, new_text: replacement, replace_all: all = false }, context) {
    const { workspaceDir, realPath, checkpoint } = context;
    const where = { workspaceDir, path, realPath };
    const { bytes, stats } = await readInWorkspace(where);
    const text = textOf(bytes);
    if (text === null) throw new ToolFailed(`${path} is not a text file`);
    const edit = replacePassage(text, { passage, replacement, all });
    if (edit.kind === "refused") throw new ToolFailed(`${path} was not changed: ${edit.message}`);
    await writeInWorkspace(where, edit.text, { replacing: stats, checkpoint });
    return { path, replaced: edit.lines.length, lines: edit.lines.slice(0, 20) };
  },
};

/** Null unless the text encodes to the same bytes; keeps a byte order mark. */
function textOf(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/**
 * Replaces an exact passage of a text. In a file with CRLF line endings, passage and replacement are converted to CRLF;
 * everything else stays unchanged.
 */
export function replacePassage(
  text: string,
  edit: { readonly passage: string; readonly replacement: string; readonly all: boolean },
): Edit {
  const convert = lineEndingConverter(text);
  const [passage, replacement] = [convert(edit.passage), convert(edit.replacement)];
  if (passage === replacement) return refused("old_text and new_text are the same");
  const parts = text.split(passage);
  if (parts.length === 1) return refused(`old_text was not found${nearMiss(text, passage)}`);
  const lines = startLines(parts, passage);
  if (parts.length > 2 && !edit.all) {
    const listed = lines.slice(0, MAX_LINES_LISTED).join(", ");
    return refused(
      `old_text occurs ${lines.length} times, in lines ${listed}${lines.length > MAX_LINES_LISTED ? "…" : ""}; include more surrounding text, or set replace_all`,
    );
  }
  return { kind: "edited", text: parts.join(replacement), lines };
}

const refused = (message: string): Edit => ({ kind: "refused", message });

/** Models write LF; this converts it to CRLF for a file with only CRLF. */
function lineEndingConverter(text: string): (passage: string) => string {
  const windows = text.includes("\r\n") && !/(?<!\r)\n/.test(text);
  return (passage) => (windows ? passage.replaceAll(/\r?\n/g, "\r\n") : passage);
}

/** First line of each occurrence, from 1. */
function startLines(parts: readonly string[], passage: string): number[] {
  const breaks = (text: string) => text.split("\n").length - 1;
  let line = 1;
  return parts.slice(0, -1).map((part) => {
    line += breaks(part);
    const start = line;
    line += breaks(passage);
    return start;
  });
}

/** A model's usual mistake is whitespace. */
function nearMiss(text: string, passage: string): string {
  const plain = (line: string) => line.trim().replaceAll(/\s+/g, " ");
  const wanted = passage.trim().split("\n").map(plain);
  const lines = text.split("\n").map(plain);
  const at = lines.findIndex((_, index) => wanted.every((line, offset) => lines[index + offset] === line));
  return at === -1
    ? "; read the file and copy the text from it"
    : `; the text from line ${at + 1} differs only in whitespace: read those lines and copy them`;
}
