import type { AnswerTo } from "../contract/broker/questions.ts";
import type { EngineStart } from "../contract/broker/engine-key.ts";
import type { Forgotten } from "../contract/broker/forget.ts";
import { DaemonAway, type DaemonRoad } from "./ask-daemon.ts";

/** How long an answer holds, where the daemon could not tell of a stop or of a new budget. */
const FRESH_MS = 10_000;
/** With an earlier answer, a daemon that is away is waited for no longer. */
const IMPATIENT_MS = 1000;
const MAX_ENGINES = 4096;

type Standing = AnswerTo<"engine">;
interface Known {
  readonly engine: string;
  readonly standing: Standing;
  readonly at: number;
}

/**
 * What the daemon says of engines: whether their keys hold, whether budgets bind them, and what their tools may connect to.
 * Asked once in ten seconds of an engine that calls. While no daemon answers, its last word holds, so that turns go on.
 */
export class EngineStandings {
  readonly #road: Pick<DaemonRoad, "ask">;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<Standing>>();
  /** Counts what was forgotten: an answer from before is not kept after it. */
  #generation = 0;

  constructor(road: Pick<DaemonRoad, "ask">) {
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

  forget({ engines, keys }: Forgotten): void {
    if (keys !== true) return;
    this.#generation++;
    this.#asking.clear();
    for (const [name, { engine }] of this.#known) if (engines?.includes(engine) !== false) this.#known.delete(name);
  }

  async #ask(name: string, asked: EngineStart, known: Known | undefined): Promise<Standing> {
    const generation = this.#generation;
    const isOver = () => generation !== this.#generation;
    try {
      const wait = known === undefined ? {} : { deadlineMs: IMPATIENT_MS };
      const standing = await this.#road.ask("engine", asked, wait);
      return isOver() ? standing : this.#keep(name, { ...asked, standing });
    } catch (error) {
      if (known === undefined || isOver() || !(error instanceof DaemonAway)) throw error;
      return this.#keep(name, known);
    } finally {
      if (!isOver()) this.#asking.delete(name);
    }
  }

  #keep(name: string, { engine, standing }: Omit<Known, "at">): Standing {
    this.#known.delete(name);
    const oldest = this.#known.size < MAX_ENGINES ? undefined : this.#known.keys().next().value;
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(name, { engine, standing, at: performance.now() });
    return standing;
  }
}
