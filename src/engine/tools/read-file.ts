import { basename } from "node:path";
import * as z from "zod/mini";
import { describeFile } from "../attachments/describe-file.ts";
import { detectType } from "../attachments/detect-type.ts";
import { type Tool, type ToolContext, ToolFailed } from "./tool.ts";
import { toolInput } from "./tool-input.ts";
import { readInWorkspace } from "./workspace-files.ts";
import { workspaceResource } from "./workspace-resource.ts";

export const readFile: Tool<{ path: string; offset?: number; limit?: number }> = {
  name: "read_file",
  description:
    "Reads a text file of the workspace, all of it or a range of lines. Shows you an image, PDF or audio file, if you can read it.",
  input: toolInput(
    z.object({
      path: z.string().check(z.minLength(1)),
      offset: z.optional(z.int().check(z.gte(1), z.describe("First line, from 1"))),
      limit: z.optional(z.int().check(z.gte(1), z.describe("Number of lines"))),
    }),
  ),
  readOnly: true,
  permission: "allow",
  resources: () => [],
  reads: ({ path }) => [workspaceResource(path)],
  path: ({ path }) => path,
  async run({ path, offset = 1, limit }, { workspaceDir, realPath, files }) {
    const { bytes } = await readInWorkspace({ workspaceDir, path, realPath });
    const shown = files === undefined ? null : showFile(bytes, { path: realPath ?? path, files });
    if (shown !== null) return shown;
    if (bytes.includes(0)) throw new ToolFailed(`${path} is not a text file`);
    const text = bytes.toString("utf8");
    if (offset === 1 && limit === undefined) return text;
    const lines = text.split("\n");
    if (offset > lines.length) throw new ToolFailed(`${path} has only ${lines.length} lines`);
    return lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit).join("\n");
  },
};

/** Null for text, and for what no model reads. */
function showFile(
  bytes: Buffer,
  { path, files }: { readonly path: string; readonly files: NonNullable<ToolContext["files"]> },
): string | null {
  const { kind } = detectType(bytes);
  if (kind === "text" || kind === "other") return null;
  const shown = files.refer({ bytes, name: basename(path) }, path);
  if (shown.kind === "refused") throw new ToolFailed(`${path} cannot be shown: ${shown.reason}`);
  return `[${describeFile(shown.file)}]`;
}
