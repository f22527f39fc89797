import { inBackground, untilExit } from "../../../shared/background.ts";
import type { Logger } from "../../../shared/logger.ts";
import { LogRotation } from "../logs/log-rotation.ts";
import type { TrackedProcess } from "./tracked-process.ts";

/** Rotates the logs of running engines, and ends what an exited one leaves behind. */
export class EngineRemains {
  readonly #logs: LogRotation;
  readonly #logger: Logger;
  /** Clean-ups by engine. */
  readonly #cleanUps = new Map<string, Promise<void>>();

  constructor(logger: Logger) {
    this.#logs = new LogRotation(logger);
    this.#logger = logger;
  }

  follow(tracked: TrackedProcess, { engineId, log }: { readonly engineId: string; readonly log: string }): void {
    this.#logs.watch(log);
    const exited = tracked.exited.then(() => {
      this.#logs.forget(log);
      inBackground("clean-up after an engine's exit", this.#cleanUp(tracked, engineId), { engine_id: engineId });
    });
    untilExit("wait for an engine's exit", exited, { engine_id: engineId });
  }

  /** Waits until the remains of the engine's last incarnation are gone. */
  async gone(engineId: string): Promise<void> {
    await this.#cleanUps.get(engineId);
  }

  async #cleanUp(tracked: TrackedProcess, engineId: string): Promise<void> {
    const cleared = this.#clear(tracked);
    this.#cleanUps.set(engineId, cleared);
    await cleared;
    if (this.#cleanUps.get(engineId) === cleared) this.#cleanUps.delete(engineId);
  }

  /** Never rejects. */
  async #clear(tracked: TrackedProcess): Promise<void> {
    const { pid } = tracked.handle;
    try {
      const outcome = await tracked.clear();
      if (outcome.kind === "survived")
        this.#logger.error({ pid, survivors: outcome.pids }, "failed to kill the children of an exited engine");
    } catch (error) {
      this.#logger.error({ err: error, pid }, "failed to clean up after an exited engine");
    }
  }
}
