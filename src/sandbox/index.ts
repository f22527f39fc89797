/** The door of the package: the three calls of README.md. The other doors are of their parts. */
export { confine, type ProcessRules } from "./confine.ts";
export { type SandboxReport, report } from "./report.ts";
export { type ConfinedEnd, type ConfinedProgram, type ProgramRules, runConfined } from "./run-confined.ts";
export type { ConnectRule } from "./proxy/host-list.ts";
export type { TreeUsage } from "./processes/tree-usage.ts";
