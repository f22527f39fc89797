import { resolve } from "node:path";
import { type ProgramFolders, isWithinAny } from "../../sandbox/programs.ts";

/** The paths that the sandbox of a tool server may name. */
export interface SandboxPlaces {
  readonly folders: ProgramFolders;
  /** Files and folders outside of the engine's own that its tools may read: `ORCH_TOOL_READ_PATHS`. */
  readonly read: readonly string[];
}

/** The absolute form of an entry's path, and its problem. Relative paths start at the workspace. */
export function readSandboxPath(
  text: string,
  { access, places: { folders, read } }: { readonly access: "read" | "write"; readonly places: SandboxPlaces },
): { readonly path: string; readonly problem: string | null } {
  const path = resolve(folders.workspace, text);
  if (text.includes("\0")) return { path, problem: "expected no NUL character" };
  const own = "expected a path in the workspace or in the engine's tmp or cache folder";
  if (access === "write") return { path, problem: isWithinAny(path, Object.values(folders)) ? null : own };
  const isReadable = isWithinAny(path, [...Object.values(folders), ...read]);
  return { path, problem: isReadable ? null : `${own}, or below a path of ORCH_TOOL_READ_PATHS` };
}
