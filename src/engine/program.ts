import { confineAndRun, run } from "./main.ts";
import { warmUp } from "./http/warm-up.ts";

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

if (globalThis.engineSnapshot !== undefined) {
  globalThis.engineSnapshot.start = confineAndRun;
  warmUp();
}
