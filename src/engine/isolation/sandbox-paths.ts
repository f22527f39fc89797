import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { resolve } from "node:path";
import { errorCode } from "../../shared/error-code.ts";
import type { EngineFolders } from "./file-rules.ts";
import { isWithinAny, realPaths } from "./program-path.ts";
import { LaunchFailed } from "./tool-launcher.ts";

/** The paths that the sandbox of a tool server may name. */
export interface SandboxPlaces {
  readonly folders: EngineFolders;
  /** Files and folders outside of the engine's own that its tools may read: `ORCH_TOOL_READ_PATHS`. */
  readonly read: readonly string[];
}

/** An open descriptor pins a file: a tool may replace the path, but not the descriptor. */
const O_PATH = 0o10000000;

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

/** Opened paths, as names in `/proc/self/fd` that stay valid until `close`. */
export interface PinnedPaths {
  readonly paths: readonly string[];
  close(): void;
}

/**
 * Opens the paths and checks where they lead: a tool may have put a link to the engine's store at one of them. Throws
 * {@link LaunchFailed} with nothing left open.
 */
export function pinSandboxPaths(paths: readonly string[], { folders, read }: SandboxPlaces): PinnedPaths {
  const opened: number[] = [];
  const close = () => opened.forEach((descriptor) => closeSync(descriptor));
  const places = [...Object.values(folders), ...read].flatMap(realPaths);
  try {
    for (const path of paths) {
      const descriptor = openPath(path);
      opened.push(descriptor);
      if (!isWithinAny(readlinkSync(`/proc/self/fd/${descriptor}`), places))
        throw new LaunchFailed(`its sandbox names ${path}, which leads outside of the folders that tools may use`);
    }
  } catch (error) {
    close();
    throw error;
  }
  return { paths: opened.map((descriptor) => `/proc/self/fd/${descriptor}`), close };
}

function openPath(path: string): number {
  try {
    return openSync(path, O_PATH | constants.O_RDONLY);
  } catch (error) {
    const code = errorCode(error) || String(error);
    throw new LaunchFailed(`its sandbox names ${path}, which cannot be opened (${code})`);
  }
}
