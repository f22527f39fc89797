import { LAUNCH_FILE_VARIABLE } from "../contract/engine/launch-file.ts";
import { isSparePath } from "../contract/engine/spare.ts";
import { confine } from "./isolation/confine.ts";
import { run as runEngine } from "./main.ts";
import { warmUp } from "./http/warm-up.ts";
import { runSpare } from "./spare/run-spare.ts";

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

if (globalThis.engineSnapshot !== undefined) {
  globalThis.engineSnapshot.start = start;
  warmUp();
}

/** Runs one engine, in a process that is confined, from the content of its launch file. */
export const run = (launchFile: string | null): Promise<void> => runEngine(launchFile, process.env);

/** Confines the process before any other file is read, and runs the engine. A spare waits for its engine first. */
async function start(): Promise<void> {
  const environment = process.env;
  const path = environment[LAUNCH_FILE_VARIABLE];
  if (path !== undefined && isSparePath(path)) return runSpare(path, environment);
  const launch = confine(environment);
  if (launch !== null) await runEngine(launch.text, environment);
}
