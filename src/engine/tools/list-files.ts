import { lstat, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import * as z from "zod/mini";
import { type Tool, ToolFailed } from "./tool.ts";
import { toolInput } from "./tool-input.ts";
import { WorkspaceFolder } from "./workspace-folder.ts";
import { targetOf } from "./workspace-path.ts";
import { workspaceResource } from "./workspace-resource.ts";

const MAX_ENTRIES = 1000;

export const listFiles: Tool<{ path?: string; depth?: number }> = {
  name: "list_files",
  description: "Lists files and folders of the workspace. Folders end in a slash. Files show their size in bytes.",
  input: toolInput(
    z.object({
      path: z.optional(z.string().check(z.describe("Folder to list; default: the workspace"))),
      depth: z.optional(z.int().check(z.gte(1), z.lte(10), z.describe("Levels to descend; default: 1"))),
    }),
  ),
  readOnly: true,
  permission: "allow",
  returns: "own",
  resources: () => [],
  reads: ({ path = "." }) => [workspaceResource(path)],
  path: ({ path = "." }) => path,
  async run({ path = ".", depth = 1 }, { workspaceDir, realPath, signal }) {
    const root = await realpath(workspaceDir);
    const target = await targetOf({ workspaceDir, path, realPath });
    const name = relative(root, target);
    const entries: string[] = [];
    const folder = await WorkspaceFolder.open(workspaceDir, target).catch((error: NodeJS.ErrnoException) => {
      throw new ToolFailed(`${path} cannot be listed (${error.code ?? error.message})`);
    });
    await list(folder, { name, depth, entries, signal });
    const shown = entries.slice(0, MAX_ENTRIES);
    return { path: name || ".", entries: shown, truncated: entries.length > shown.length };
  },
};

async function list(
  folder: WorkspaceFolder,
  { name, depth, entries, signal }: { name: string; depth: number; entries: string[]; signal: AbortSignal },
): Promise<void> {
  try {
    for (const entry of await folder.entries()) {
      if (entries.length > MAX_ENTRIES) return;
      signal.throwIfAborted();
      const path = join(name, entry.name);
      if (!entry.isDirectory()) {
        entries.push(entry.isFile() ? `${path}${await sizeOf(folder.at(entry.name))}` : path);
        continue;
      }
      entries.push(`${path}/`);
      // A folder that was removed or is not readable is listed without its entries.
      const inner = depth > 1 ? await folder.folder(entry.name).catch(() => null) : null;
      if (inner !== null) await list(inner, { name: path, depth: depth - 1, entries, signal });
    }
  } finally {
    await folder.close();
  }
}

/** Empty for a file that was removed, or whose name is not valid UTF-8. */
async function sizeOf(path: string): Promise<string> {
  const found = await lstat(path).catch(() => null);
  return found === null ? "" : ` (${found.size})`;
}
