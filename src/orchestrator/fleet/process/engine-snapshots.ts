import { join } from "node:path";
import { execa } from "execa";
import { ENGINE_EXITS } from "../../../contract/engine/exit.ts";
import { programFor, programName } from "../../../contract/engine/program.ts";
import type { Logger } from "../../../shared/logger.ts";

const TRIAL_MS = 20_000;
/** The exit code of Node.js for a snapshot of another build of Node.js. */
const SNAPSHOT_MISMATCH = 14;
const RESTORE = "--snapshot-blob";
const FIX = "run `npm run build` with the Node.js that runs orchd";

interface SnapshotOptions {
  readonly nodePath: string;
  readonly engineEntry: string;
  /** The folder with the snapshots. */
  readonly bundleDir: string;
  /** Whether an earlier daemon's trial succeeded with the same files. */
  readonly isProven: () => Promise<boolean>;
  readonly logger: Logger;
}

/** Whether these options of Node.js start a process from a snapshot. */
export const hasSnapshot = (options: readonly string[]): boolean => options.includes(RESTORE);

/**
 * The start-up snapshots of the engine's programs. Restoring an engine from one takes less CPU time than loading its
 * program, but only the Node.js that built it can. The daemon tries one at its first start. If that fails, engines load
 * their program.
 */
export class EngineSnapshots {
  readonly #options: SnapshotOptions;
  readonly #tried: Promise<void>;
  #problem: string | null = null;

  constructor(options: SnapshotOptions) {
    this.#options = options;
    this.#tried = this.#try();
  }

  /** Why engines load their program, and what to do. Null while they start from snapshots. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Whether engines start from snapshots. Waits for the trial. */
  async areUsable(): Promise<boolean> {
    await this.#tried;
    return this.#problem === null;
  }

  /** The options of Node.js that restore an engine with these settings. None when it loads its program. */
  async optionsFor(settings: Readonly<Record<string, string>>): Promise<readonly string[]> {
    return (await this.areUsable()) ? this.#restore(programFor(settings)) : [];
  }

  /** Reports an engine's exit code: Node.js may be replaced while the daemon runs. */
  exited(code: number | null): void {
    if (code === SNAPSHOT_MISMATCH && this.#problem === null) this.#report("Node.js was replaced");
  }

  async #try(): Promise<void> {
    const { nodePath, engineEntry, isProven, logger } = this.#options;
    const worked = () => logger.info("enabled start-up snapshots for engines");
    if (await isProven()) return worked();
    const trial = await execa(nodePath, [...this.#restore(programName("sandbox")), engineEntry], {
      extendEnv: false,
      stdin: "ignore",
      timeout: TRIAL_MS,
      reject: false,
    });
    // An engine without a launch file exits with its own code.
    if (trial.exitCode === ENGINE_EXITS.configuration.code) worked();
    else this.#report(trial.stderr.split("\n")[0] || trial.shortMessage || "the trial failed");
  }

  #restore(program: string): readonly string[] {
    return [RESTORE, join(this.#options.bundleDir, `${program}.blob`)];
  }

  #report(reason: string): void {
    this.#problem = `engines start without a snapshot, which takes more CPU time: ${reason}; ${FIX}`;
    this.#options.logger.warn({ reason, fix: FIX }, "disabled start-up snapshots for engines");
  }
}
