import { AsyncLocalStorage } from "node:async_hooks";
import type { Draws } from "./draws.ts";

/** Real: the simulation itself drains the microtasks with it. */
const turn = setImmediate;

/** Something that runs in the simulated world, such as one life of a daemon. Whatever it awaits is a task of it. */
export interface Actor {
  readonly name: string;
  /** Killed: none of its tasks runs any more. */
  isDead: boolean;
  /** Frozen: its tasks wait. */
  isPaused: boolean;
}

interface Task {
  readonly at: number;
  /** Decides between tasks of the same time. */
  readonly order: number;
  readonly serial: number;
  readonly actor: Actor | null;
  readonly label: string;
  readonly run: () => void;
  /** A task whose callback starts no promise, of which thousands run. */
  readonly isSmall: boolean;
  isCancelled: boolean;
}

/**
 * The only source of progress and of time. Every operation of the simulated world is a task; between two tasks all
 * microtasks run to their end. The clock stands still while a task runs and jumps to the next one.
 */
export class Scheduler {
  readonly #draws: Draws;
  readonly #actors = new AsyncLocalStorage<Actor>();
  readonly #held: Task[] = [];
  readonly #heap: Task[] = [];
  #now = 0;
  #serial = 0;
  #steps = 0;
  /** Called before each task that is not a clock's tick. */
  onStep: ((actor: Actor | null, label: string) => void) | null = null;

  constructor(draws: Draws) {
    this.#draws = draws;
  }

  /** Milliseconds since the start of the run, of the monotonic clock. */
  get now(): number {
    return this.#now;
  }

  get steps(): number {
    return this.#steps;
  }

  get actor(): Actor | null {
    return this.#actors.getStore() ?? null;
  }

  /** Runs work whose tasks belong to the actor. */
  as<T>(actor: Actor, work: () => T): T {
    return this.#actors.run(actor, work);
  }

  /**
   * Runs `run` once, `ms` from now: in the async context of the caller, or else as a task of another actor. Returns a
   * function that cancels it.
   */
  after(
    ms: number,
    label: string,
    run: () => void,
    { actor = this.actor, isSmall = false }: { readonly actor?: Actor | null; readonly isSmall?: boolean } = {},
  ): () => void {
    // A small task reads no context.
    const inContext = !isSmall && actor === this.actor ? AsyncLocalStorage.snapshot() : null;
    const task: Task = {
      at: this.#now + Math.max(0, ms),
      order: this.#draws.number("order"),
      serial: this.#serial++,
      actor,
      label,
      run: isSmall ? run : () => (inContext === null ? this.#in(actor, run) : inContext(run)),
      isSmall,
      isCancelled: false,
    };
    push(this.#heap, task);
    return () => {
      task.isCancelled = true;
    };
  }

  #in(actor: Actor | null, work: () => void): void {
    if (actor === null) this.#actors.exit(work);
    else this.#actors.run(actor, work);
  }

  /** An operation of the world: resolves after `ms`. */
  wait(ms: number, label: string): Promise<void> {
    return new Promise((resolve) => this.after(ms, label, resolve));
  }

  pause(actor: Actor): void {
    actor.isPaused = true;
  }

  /** What became due in the meantime runs now, in its order. */
  resume(actor: Actor): void {
    actor.isPaused = false;
    const due = this.#held.filter((task) => task.actor === actor);
    for (const task of due) {
      this.#held.splice(this.#held.indexOf(task), 1);
      push(this.#heap, { ...task, at: this.#now, order: task.at / 1e9, run: () => task.isCancelled || task.run() });
    }
  }

  /** Runs tasks until `until` is true after a step, or until `end`. False when nothing is left to run. */
  async run(end: number, until: () => boolean): Promise<boolean> {
    await drained();
    for (;;) {
      const task = pop(this.#heap);
      if (task === undefined) return false;
      if (task.isCancelled || task.actor?.isDead === true) continue;
      if (task.at > end) {
        push(this.#heap, task);
        this.#now = end;
        return true;
      }
      if (task.actor?.isPaused === true) {
        this.#held.push(task);
        continue;
      }
      this.#now = Math.max(this.#now, task.at);
      if (task.isSmall) {
        task.run();
        continue;
      }
      this.#steps++;
      this.onStep?.(task.actor, task.label);
      task.run();
      await drained();
      if (until()) return true;
    }
  }
}

/** Every microtask and `process.nextTick` callback has run, and those that they queued. */
const drained = (): Promise<void> => new Promise((resolve) => turn(resolve));

const isBefore = (one: Task, other: Task): boolean =>
  one.at !== other.at
    ? one.at < other.at
    : one.order !== other.order
      ? one.order < other.order
      : one.serial < other.serial;

/** A binary heap. */
function push(heap: Task[], task: Task): void {
  let at = heap.length;
  heap.push(task);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] as Task;
    if (!isBefore(task, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = task;
}

function pop(heap: Task[]): Task | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Task, heap[child] as Task)) child++;
    if (!isBefore(heap[child] as Task, last)) break;
    heap[at] = heap[child] as Task;
    at = child;
  }
  heap[at] = last;
  return first;
}
