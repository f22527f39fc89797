import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile as write } from "node:fs/promises";
import { dirname, normalize } from "node:path";
import * as z from "zod/mini";
import { type Tool, ToolFailed } from "./tool.ts";
import { toolInput } from "./tool-input.ts";
import { workspacePath } from "./workspace-path.ts";

const MAX_CHARACTERS = 1024 * 1024;

export const writeFile: Tool<{ path: string; content: string }> = {
  name: "write_file",
  description: "Writes a text file of the workspace, making or replacing it whole.",
  input: toolInput(
    z.object({
      path: z.string().check(z.minLength(1)),
      content: z.string().check(z.maxLength(MAX_CHARACTERS)),
    }),
  ),
  readOnly: false,
  permission: "ask",
  resources: ({ path }) => [`file:${normalize(path)}`],
  async run({ path, content }, { workspaceDir }) {
    const file = await workspacePath(workspaceDir, path);
    // Written beside and moved into place: a reader sees the old file or the new one.
    const draft = `${file}.${randomBytes(4).toString("hex")}`;
    try {
      await mkdir(dirname(file), { recursive: true });
      await write(draft, content, { flag: "wx" });
      await rename(draft, file);
    } catch (error) {
      await rm(draft, { force: true });
      const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
      throw new ToolFailed(`${path} cannot be written (${code})`);
    }
    return { path, bytes: Buffer.byteLength(content) };
  },
};
