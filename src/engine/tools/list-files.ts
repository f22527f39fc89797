import { readdir, realpath, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import * as z from "zod/mini";
import { type Tool, ToolFailed } from "./tool.ts";
import { toolInput } from "./tool-input.ts";
import { workspacePath } from "./workspace-path.ts";

const MAX_ENTRIES = 1000;

export const listFiles: Tool<{ path?: string; depth?: number }> = {
  name: "list_files",
  description:
    "Lists files and folders of the workspace, folders with a slash behind them and files with their size in bytes.",
  input: toolInput(
    z.object({
      path: z.optional(z.string().check(z.describe("Folder to list; the workspace itself when left out"))),
      depth: z.optional(z.int().check(z.gte(1), z.lte(10), z.describe("How many levels down; 1 when left out"))),
    }),
  ),
  readOnly: true,
  permission: "allow",
  resources: () => [],
  async run({ path = ".", depth = 1 }, { workspaceDir }) {
    const root = await realpath(workspaceDir);
    const folder = await workspacePath(workspaceDir, path);
    const entries: string[] = [];
    await list(folder, { depth, root, entries });
    const shown = entries.slice(0, MAX_ENTRIES);
    return { path: relative(root, folder) || ".", entries: shown, truncated: entries.length > shown.length };
  },
};

async function list(folder: string, into: { depth: number; root: string; entries: string[] }): Promise<void> {
  const { depth, root, entries } = into;
  const found = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new ToolFailed(`${relative(root, folder) || "."} cannot be listed (${error.code ?? error.message})`);
  });
  for (const entry of found.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    if (entries.length > MAX_ENTRIES) return;
    const path = join(folder, entry.name);
    const name = relative(root, path);
    if (entry.isDirectory()) {
      entries.push(`${name}/`);
      if (depth > 1) await list(path, { depth: depth - 1, root, entries });
    } else {
      entries.push(entry.isFile() ? `${name}${await sizeOf(path)}` : name);
    }
  }
}

/** Nothing for a file that has gone meanwhile, or whose name is no text. */
async function sizeOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found === null ? "" : ` (${found.size})`;
}
