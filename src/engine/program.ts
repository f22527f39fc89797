import { LAUNCH_FILE_VARIABLE } from "../contract/launch-file.ts";
import { isSparePath } from "../contract/spare.ts";
import { confine } from "./isolation/confine.ts";
import { run } from "./main.ts";
import { runSpare } from "./spare/run-spare.ts";

export { run };

interface EngineSnapshot {
  /** False while the program is loaded into the snapshot. */
  isRestored: boolean;
  start?: () => Promise<void>;
}

declare global {
  /** Defined in a program that is loaded into a start-up snapshot, and in the processes that are restored from it. */
  // oxlint-disable-next-line no-var
  var engineSnapshot: EngineSnapshot | undefined;
}

if (globalThis.engineSnapshot !== undefined) globalThis.engineSnapshot.start = start;

/** Confines the process before any other file is read, and runs the engine. A spare waits for its engine first. */
async function start(): Promise<void> {
  const path = process.env[LAUNCH_FILE_VARIABLE];
  if (path !== undefined && isSparePath(path)) return runSpare(path);
  const launch = confine(process.env);
  if (launch !== null) await run(launch.text);
}
