import type { AnswerTo } from "../contract/broker/questions.ts";
import type { EngineStart } from "../contract/broker/engine-key.ts";
import { DaemonAway, type DaemonRoad } from "./ask-daemon.ts";

/** How long an answer holds: for this time a key outlives its engine's stop, and a call a new budget. */
const FRESH_MS = 10_000;
/** With an earlier answer, a daemon that is away is waited for no longer. */
const IMPATIENT_MS = 1000;
const MAX_ENGINES = 4096;

type Standing = AnswerTo<"engine">;
interface Known {
  readonly standing: Standing;
  readonly at: number;
}

/**
 * What the daemon says of engines: whether their keys hold, whether budgets bind them, and what their tools may connect to.
 * Asked once in ten seconds of an engine that calls. While no daemon answers, its last word holds, so that turns go on.
 */
export class EngineStandings {
  readonly #road: DaemonRoad;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<Standing>>();

  constructor(road: DaemonRoad) {
    this.#road = road;
  }

  /** Rejects with `DaemonAway` for an engine that is not known while no daemon answers. `isNew`: not from before this call. */
  of({ engine, incarnation }: EngineStart, isNew = false): Standing | Promise<Standing> {
    const name = `${engine} ${incarnation}`;
    const known = this.#known.get(name);
    if (known !== undefined && !isNew && performance.now() - known.at < FRESH_MS) return known.standing;
    const asking = this.#asking.get(name) ?? this.#ask(name, { engine, incarnation }, known);
    this.#asking.set(name, asking);
    return asking;
  }

  async #ask(name: string, asked: EngineStart, known: Known | undefined): Promise<Standing> {
    try {
      const wait = known === undefined ? {} : { deadlineMs: IMPATIENT_MS };
      return this.#keep(name, await this.#road.ask("engine", asked, wait));
    } catch (error) {
      if (known === undefined || !(error instanceof DaemonAway)) throw error;
      return this.#keep(name, known.standing);
    } finally {
      this.#asking.delete(name);
    }
  }

  #keep(name: string, standing: Standing): Standing {
    this.#known.delete(name);
    const oldest = this.#known.size < MAX_ENGINES ? undefined : this.#known.keys().next().value;
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(name, { standing, at: performance.now() });
    return standing;
  }
}
