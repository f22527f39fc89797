import * as z from "zod/mini";
import type { Tool } from "./tool.ts";
import { toolInput } from "./tool-input.ts";
import { writeInWorkspace } from "./workspace-files.ts";
import { workspaceResource } from "./workspace-resource.ts";

const MAX_CHARACTERS = 1024 * 1024;

export const writeFile: Tool<{ path: string; content: string }> = {
  name: "write_file",
  description: "Creates a text file in the workspace, or replaces its content.",
  input: toolInput(
    z.object({
      path: z.string().check(z.minLength(1)),
      content: z.string().check(z.maxLength(MAX_CHARACTERS)),
    }),
  ),
  readOnly: false,
  permission: "ask",
  returns: "own",
  resources: ({ path }) => [workspaceResource(path)],
  path: ({ path }) => path,
  writesBytes: ({ content }) => Buffer.byteLength(content),
  async run({ path, content }, { workspaceDir, realPath, checkpoint }) {
    await writeInWorkspace({ workspaceDir, path, realPath }, content, { checkpoint });
    return { path, bytes: Buffer.byteLength(content) };
  },
};
