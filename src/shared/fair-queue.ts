import type { Queue, QueueAddOptions } from "p-queue";

export interface FairOptions extends QueueAddOptions {
  /** Lanes take turns, however long their queues are. */
  readonly lane: string;
}

type Run = () => Promise<unknown>;
interface Waiting {
  readonly run: Run;
  readonly lane: string;
  readonly id: string | undefined;
  priority: number;
}

/** A queue for p-queue: by priority, then round robin between lanes, then by arrival. */
export class FairQueue implements Queue<Run, FairOptions> {
  /** In the order of their turns. */
  readonly #lanes = new Map<string, Waiting[]>();
  size = 0;

  enqueue(run: Run, { lane = "", priority = 0, id }: Partial<FairOptions> = {}): void {
    this.#insert({ run, lane, priority, id });
  }

  dequeue(): Run | undefined {
    const highest = Math.max(...[...this.#lanes.values()].map(([first]) => first?.priority ?? 0));
    for (const [lane, waiting] of this.#lanes) {
      if (waiting[0]?.priority !== highest) continue;
      const next = waiting.shift();
      this.#lanes.delete(lane);
      if (waiting.length > 0) this.#lanes.set(lane, waiting);
      if (next === undefined) continue;
      this.size--;
      return next.run;
    }
    return undefined;
  }

  filter({ priority }: Partial<FairOptions>): Run[] {
    return this.#all()
      .filter((one) => one.priority === priority)
      .map(({ run }) => run);
  }

  setPriority(id: string, priority: number): void {
    const found = this.#take((one) => one.id === id);
    if (found === undefined) throw new ReferenceError(`no queued item has the id ${id}`);
    this.#insert({ ...found, priority });
  }

  /** p-queue identifies an item without an id by its function. */
  remove(idOrRun: string | Run): void {
    this.#take(({ id, run }) => id === idOrRun || run === idOrRun);
  }

  #insert(one: Waiting): void {
    const waiting = this.#lanes.get(one.lane) ?? [];
    // From the end, where most items go.
    const before = waiting.findLastIndex(({ priority }) => priority >= one.priority);
    waiting.splice(before + 1, 0, one);
    this.#lanes.set(one.lane, waiting);
    this.size++;
  }

  #take(wanted: (one: Waiting) => boolean): Waiting | undefined {
    const found = this.#all().find(wanted);
    if (found === undefined) return undefined;
    const left = (this.#lanes.get(found.lane) ?? []).filter((one) => one !== found);
    if (left.length > 0) this.#lanes.set(found.lane, left);
    else this.#lanes.delete(found.lane);
    this.size--;
    return found;
  }

  #all(): Waiting[] {
    return [...this.#lanes.values()].flat();
  }
}
