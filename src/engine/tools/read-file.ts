import { constants, open } from "node:fs/promises";
import * as z from "zod/mini";
import { type Tool, ToolFailed } from "./tool.ts";
import { toolInput } from "./tool-input.ts";
import { workspacePath } from "./workspace-path.ts";

const MAX_BYTES = 10 * 1024 * 1024;

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
  async run({ path, offset = 1, limit }, { workspaceDir }) {
    const file = await workspacePath(workspaceDir, path);
    const bytes = await readAll(file, path);
    if (bytes.includes(0)) throw new ToolFailed(`${path} is no text file`);
    const text = bytes.toString("utf8");
    if (offset === 1 && limit === undefined) return text;
    const lines = text.split("\n");
    return lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit).join("\n");
  },
};

async function readAll(file: string, path: string): Promise<Buffer> {
  // Without waiting: to open a pipe that nobody writes to would take a thread of the process for ever.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    throw new ToolFailed(`${path} cannot be read (${error.code ?? error.message})`);
  });
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new ToolFailed(`${path} is no file`);
    if (stat.size > MAX_BYTES) throw new ToolFailed(`${path} is larger than ${MAX_BYTES} bytes`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
