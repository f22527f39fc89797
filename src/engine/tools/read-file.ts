import * as z from "zod/mini";
import { type Tool, ToolFailed } from "./tool.ts";
import { toolInput } from "./tool-input.ts";
import { readInWorkspace } from "./workspace-files.ts";
import { workspaceResource } from "./workspace-resource.ts";

export const readFile: Tool<{ path: string; offset?: number; limit?: number }> = {
  name: "read_file",
  description: "Reads a text file of the workspace, the whole or some of its lines.",
  input: toolInput(
    z.object({
      path: z.string().check(z.minLength(1)),
      offset: z.optional(z.int().check(z.gte(1), z.describe("First line, counted from 1"))),
      limit: z.optional(z.int().check(z.gte(1), z.describe("How many lines"))),
    }),
  ),
  readOnly: true,
  permission: "allow",
  resources: () => [],
  reads: ({ path }) => [workspaceResource(path)],
  path: ({ path }) => path,
  async run({ path, offset = 1, limit }, { workspaceDir, place }) {
    const { bytes } = await readInWorkspace({ workspaceDir, path, place });
    if (bytes.includes(0)) throw new ToolFailed(`${path} is no text file`);
    const text = bytes.toString("utf8");
    if (offset === 1 && limit === undefined) return text;
    const lines = text.split("\n");
    if (offset > lines.length) throw new ToolFailed(`${path} has only ${lines.length} lines`);
    return lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit).join("\n");
  },
};
