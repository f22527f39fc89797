/** `@orchd/sandbox/processes`: other processes, by `/proc`: find, identify, signal and measure them. */
export {
  type ProcessIdentity,
  type ProcessStat,
  descriptorTarget,
  isAlive,
  isRunning,
  listProcesses,
  mayBeInherited,
  ownerOf,
  processFolder,
  readIdentity,
  readStat,
  readUser,
  sendSignal,
  startArguments,
  startVariable,
  unlessGone,
  withDescendants,
} from "./processes/process-table.ts";
export { type TreeUsage, readProportionalMemory, readUsage } from "./processes/tree-usage.ts";
export { setOomScore } from "./processes/oom-score.ts";
export { type OomKills, hostOomKills, killedForMemory } from "./processes/oom-kill.ts";
