import * as z from "zod/mini";
import { type Tool, ToolFailed } from "./tool.ts";
import { toolInput } from "./tool-input.ts";
import { readInWorkspace } from "./workspace-files.ts";
import { workspaceResource } from "./workspace-resource.ts";

export const readFile: Tool<{ path: string; offset?: number; limit?: number }> = {
  name: "read_file",
  description: "Reads a text file of the workspace, all of it or a range of lines.",
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
  async run({ path, offset = 1, limit }, { workspaceDir, place }) {
    const { bytes } = await readInWorkspace({ workspaceDir, path, place });
    if (bytes.includes(0)) throw new ToolFailed(`${path} is not a text file`);
    const text = bytes.toString("utf8");
    if (offset === 1 && limit === undefined) return text;
    const lines = text.split("\n");
    if (offset > lines.length) throw new ToolFailed(`${path} has only ${lines.length} lines`);
    return lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit).join("\n");
  },
};
