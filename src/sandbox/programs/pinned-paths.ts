import { closeSync, constants, openSync, readlinkSync } from "node:fs";
import { errorCode } from "../system/error-code.ts";
import type { Words } from "../host.ts";
import { isWithinAny, realPaths } from "./program-path.ts";
import { LaunchFailed } from "./program-launcher.ts";

/** An open descriptor pins a file: a program may replace the path, but not the descriptor. */
const O_PATH = 0o10000000;

/** Opened paths, as names in `/proc/self/fd` that stay valid until `close`. */
export interface PinnedPaths {
  readonly paths: readonly string[];
  close(): void;
}

/**
 * Opens the paths and checks where they lead: a program may have put a link to another place at one of them.
 * `places` are the folders that programs may use. Throws {@link LaunchFailed} with nothing left open.
 */
export function pinPaths(paths: readonly string[], places: readonly string[], { programs }: Words): PinnedPaths {
  const opened: number[] = [];
  const close = () => opened.forEach((descriptor) => closeSync(descriptor));
  const within = places.flatMap(realPaths);
  try {
    for (const path of paths) {
      const descriptor = openPath(path);
      opened.push(descriptor);
      if (!isWithinAny(readlinkSync(`/proc/self/fd/${descriptor}`), within))
        throw new LaunchFailed(
          `its sandbox names ${path}, which leads outside of the folders that ${programs} may use`,
        );
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
