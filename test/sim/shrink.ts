import type { Plan } from "./plan.ts";
import type { Event } from "./plan-events.ts";
import { type Outcome, simulate } from "./simulate.ts";

/** The most runs that a shrinking takes. */
const MAX_RUNS = 400;

export interface Shrunk {
  readonly plan: Plan;
  readonly outcome: Outcome;
  readonly runs: number;
}

/** The shortest plan that was found to break the same invariant: fewer events, shorter troubles, a simpler setup. */
export async function shrink(plan: Plan, outcome: Outcome): Promise<Shrunk> {
  const shrinking = new Shrinking(plan, outcome);
  let before: Plan | null = null;
  while (before !== shrinking.plan) {
    before = shrinking.plan;
    await shrinking.dropEvents();
    await shrinking.simplify();
  }
  return { plan: shrinking.plan, outcome: shrinking.outcome, runs: shrinking.runs };
}

class Shrinking {
  plan: Plan;
  outcome: Outcome;
  runs = 0;

  constructor(plan: Plan, outcome: Outcome) {
    this.plan = plan;
    this.outcome = outcome;
  }

  /** Halves first, then smaller pieces, down to single events. */
  async dropEvents(): Promise<void> {
    for (let size = Math.ceil(this.plan.events.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
      for (let at = 0; at < this.plan.events.length;) {
        const events = this.plan.events.toSpliced(at, size);
        if (!(await this.#accepts({ ...this.plan, events }))) at += size;
      }
  }

  async simplify(): Promise<void> {
    const { setup } = this.plan;
    const simpler: readonly Partial<Plan>[] = [
      { setup: { ...setup, hasReplicas: false } },
      { setup: { ...setup, spares: 0 } },
      { setup: { ...setup, keepsSockets: false } },
      { setup: { ...setup, maxAwake: null } },
      { setup: { ...setup, bootConcurrency: 3 } },
      { pace: 2 },
      { idleStopS: 0 },
      { drainS: 0 },
    ];
    for (const change of simpler) {
      const changed = { ...this.plan, ...change };
      if (JSON.stringify(changed) !== JSON.stringify(this.plan)) await this.#accepts(changed);
    }
    for (const [at, event] of this.plan.events.entries()) {
      const shorter = shortened(event);
      if (shorter !== null) await this.#accepts({ ...this.plan, events: this.plan.events.with(at, shorter) });
    }
  }

  /** Takes over a plan that breaks the same invariant. */
  async #accepts(plan: Plan): Promise<boolean> {
    if (this.runs >= MAX_RUNS) return false;
    this.runs++;
    const outcome = await simulate(plan);
    if (outcome.violation?.invariant !== this.outcome.violation?.invariant) return false;
    this.plan = plan;
    this.outcome = outcome;
    return true;
  }
}

const shortened = ({ at, does }: Event): Event | null =>
  "ms" in does && Math.abs(does.ms) > 100 ? { at, does: { ...does, ms: Math.round(does.ms / 2) } } : null;
