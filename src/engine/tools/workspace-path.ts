import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { ToolFailed } from "./tool.ts";

/**
 * The real path of something in the workspace, symbolic links resolved; for what does not exist yet, that of its
 * nearest existing parent with the rest behind it. Whatever would lead out of the workspace is refused.
 */
export async function workspacePath(workspaceDir: string, path: string): Promise<string> {
  if (path.includes("\0")) throw new ToolFailed("path: expected no NUL character");
  const root = await realpath(workspaceDir);
  const wanted = isAbsolute(path) ? resolve(path) : resolve(root, path);
  let existing = wanted;
  let rest = "";
  for (;;) {
    const real = await realOf(existing, path);
    if (real !== null) {
      const target = rest === "" ? real : join(real, rest);
      if (target !== root && !target.startsWith(root + sep))
        throw new ToolFailed(`path: ${path} leads out of the workspace`);
      return target;
    }
    rest = join(relative(dirname(existing), existing), rest);
    existing = dirname(existing);
  }
}

/** The same from the workspace on: what a person is asked about, and what a grant covers. */
export async function workspacePlace(workspaceDir: string, path: string): Promise<string> {
  const target = await workspacePath(workspaceDir, path);
  return relative(await realpath(workspaceDir), target) || ".";
}

/** A path as a call names it, and where it was allowed to lead; wherever it leads by now. */
export interface CallPath {
  readonly workspaceDir: string;
  readonly path: string;
  readonly place?: string | undefined;
}

/** The allowed place, else where the path leads. To be reached by no symbolic link: one may stand there by now. */
export async function targetOf({ workspaceDir, path, place }: CallPath): Promise<string> {
  return place === undefined ? workspacePath(workspaceDir, path) : join(await realpath(workspaceDir), place);
}

async function realOf(place: string, path: string): Promise<string | null> {
  try {
    return await realpath(place);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return null;
    if (typeof code === "string") throw new ToolFailed(`path: ${path} cannot be used (${code})`);
    throw error;
  }
}
