import { realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { errorCode } from "../../shared/error-code.ts";
import { ToolFailed } from "./tool.ts";

/**
 * The real path of a workspace path, symbolic links resolved. For a missing file: the real path of its nearest existing
 * parent, plus the rest. Refuses paths that lead out of the workspace.
 */
export async function workspacePath(workspaceDir: string, path: string): Promise<string> {
  if (path.includes("\0")) throw new ToolFailed("path: expected no NUL character");
  const root = await realpath(workspaceDir);
  const requested = isAbsolute(path) ? resolve(path) : resolve(root, path);
  let existing = requested;
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

/** The real path relative to the workspace, as permission requests and grants use it. */
export async function relativeRealPath(workspaceDir: string, path: string): Promise<string> {
  const target = await workspacePath(workspaceDir, path);
  return relative(await realpath(workspaceDir), target) || ".";
}

/** The path argument of a call, and the real path that was allowed. */
export interface CallPath {
  readonly workspaceDir: string;
  readonly path: string;
  readonly realPath?: string | undefined;
}

/** The allowed path, else the current one. Open it without following links: one may have been created since. */
export async function targetOf({ workspaceDir, path, realPath }: CallPath): Promise<string> {
  return realPath === undefined ? workspacePath(workspaceDir, path) : join(await realpath(workspaceDir), realPath);
}

async function realOf(absolute: string, path: string): Promise<string | null> {
  try {
    return await realpath(absolute);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return null;
    if (code !== "") throw new ToolFailed(`path: ${path} cannot be used (${code})`);
    throw error;
  }
}
