/** `@orchd/sandbox/rights`: what this process may do: Landlock, seccomp, capabilities, resource limits. */
export {
  LANDLOCK,
  type LandlockRules,
  type PreparedRules,
  landlockAbi,
  prepareRules,
  restrictSelf,
  restrictTo,
} from "./landlock/landlock.ts";
export { seccompProblem } from "./seccomp/seccomp.ts";
export { socketSupervisionProblem } from "./sockets/supervision-problem.ts";
export {
  clearAmbientCapabilities,
  dropCapabilities,
  missingCapabilities,
  setDumpable,
  setResourceLimit,
} from "./processes/process-limits.ts";
export { replaceInOwnStrings } from "./processes/process-strings.ts";
export { OWN_OOM_SCORE } from "./processes/oom-score.ts";
export type { FileRules } from "./programs/program-files.ts";
export { DEVICES, ETC, KERNEL, PROGRAMS } from "./programs/system-files.ts";
