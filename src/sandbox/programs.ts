/** `@orchd/sandbox/programs`: launchers, of which `runConfined` is made. */
export { DEFAULT_HOST, type Host, type Words } from "./host.ts";
export { ConfinedLauncher, type ConfinedLauncherOptions } from "./programs/confined-launcher.ts";
export { DirectLauncher } from "./programs/direct-launcher.ts";
export { LimitedLauncher, type LimitedLauncherOptions, type LimitedProgram } from "./programs/limited-launcher.ts";
export type { ProgramFolders } from "./programs/program-files.ts";
export { isWithinAny, readableProgramPath } from "./programs/program-path.ts";
export {
  LaunchFailed,
  type ProgramExit,
  type ProgramLauncher,
  type SandboxRequest,
} from "./programs/program-launcher.ts";
export { DiskQuota } from "./disk/disk-quota.ts";
export { readDiskSpace } from "./disk/disk-space.ts";
export { measureDisk } from "./disk/measure-disk.ts";
