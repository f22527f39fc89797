import { join } from "node:path";
import type { ProgramFolders } from "../../sandbox/programs.ts";
import { DEVICES, ETC, type FileRules, KERNEL, OWN_OOM_SCORE, PROGRAMS } from "../../sandbox/rights.ts";

/** The folders of one engine. The temporary one is emptied at each start of the engine. */
export const engineFolders = (dataDir: string): ProgramFolders => ({
  workspace: join(dataDir, "workspace"),
  temporary: join(dataDir, "tmp"),
  cache: join(dataDir, "cache"),
});

/**
 * What every engine may use. `/proc`, because it finds the processes of its tools there. `programDir` contains the
 * engine's bundles.
 */
export const sharedFileRules = (programDir: string): FileRules => ({
  read: [...PROGRAMS, ...ETC, "/proc", ...KERNEL, process.execPath, programDir],
  write: [OWN_OOM_SCORE, ...DEVICES],
});
