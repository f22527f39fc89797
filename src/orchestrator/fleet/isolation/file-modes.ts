import { chmodSync, closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../../../shared/error-code.ts";
import type { Logger } from "../../../shared/logger.ts";

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Other users may pass through, to a folder of their own, and not list it. */
const TRAVERSABLE = 0o711;
const OWN = 0o700;
const SECRET = 0o600;

/** What is in the data folder, with its mode. */
const MODES: Readonly<Record<string, number>> = {
  ".": TRAVERSABLE,
  "admin-key": SECRET,
  "secret-key": SECRET,
  "host-id": SECRET,
  "audit-heads": SECRET,
  "postgres-password": SECRET,
  "postgres-daemon-password": SECRET,
  postgres: OWN,
  kept: OWN,
  removed: OWN,
  backups: OWN,
  catalogs: TRAVERSABLE,
  engines: TRAVERSABLE,
  run: TRAVERSABLE,
  cache: 0o755,
};

/** Creates a folder that other users may pass through, whatever the umask is. */
export function makeTraversable(folder: string): void {
  if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, TRAVERSABLE);
}

/**
 * Gives the daemon's files and the engines' folders their modes back. A tool that runs as the daemon's user can change
 * them, since Landlock does not cover `chmod`.
 */
export function restoreModes(dataDir: string, logger: Logger): void {
  const failed: string[] = [];
  const restore = (path: string, mode: number): void => {
    try {
      restoreMode(path, mode);
    } catch {
      failed.push(path);
    }
  };
  for (const [name, mode] of Object.entries(MODES)) restore(join(dataDir, name), mode);
  for (const name of list(join(dataDir, "engines"))) restore(join(dataDir, "engines", name), OWN);
  // Such as folders of another user, while orchd runs without the right to change them.
  if (failed.length > 0) logger.warn({ count: failed.length, first: failed[0] }, "failed to restore modes of files");
}

/** Never through a link. A folder with the sticky bit, such as `/tmp` as data folder, is not the daemon's alone. */
function restoreMode(path: string, mode: number): void {
  const file = openUnlessMissing(path);
  if (file === null) return;
  try {
    const now = fstatSync(file).mode & 0o7777;
    if (now !== mode && (now & 0o1000) === 0) fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}

function openUnlessMissing(path: string): number | null {
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}
