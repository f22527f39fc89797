import * as z from "zod/mini";
import { replacePassage } from "./replace-passage.ts";
import { type Tool, ToolFailed } from "./tool.ts";
import { toolInput } from "./tool-input.ts";
import { readInWorkspace, writeInWorkspace } from "./workspace-files.ts";
import { workspaceResource } from "./workspace-resource.ts";

const MAX_CHARACTERS = 1024 * 1024;
const passage = () => z.string().check(z.maxLength(MAX_CHARACTERS));

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
  resources: ({ path }) => [workspaceResource(path)],
  path: ({ path }) => path,
  writesBytes: ({ new_text: added }) => Buffer.byteLength(added),
  async run({ path, old_text: passage, new_text: replacement, replace_all: all = false }, { workspaceDir, place }) {
    const where = { workspaceDir, path, place };
    const { bytes, stats } = await readInWorkspace(where);
    const text = textOf(bytes);
    if (text === null) throw new ToolFailed(`${path} is not a text file`);
    const edit = replacePassage(text, { passage, replacement, all });
    if (edit.kind === "refused") throw new ToolFailed(`${path} was not changed: ${edit.message}`);
    await writeInWorkspace(where, edit.text, { replacing: stats });
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
