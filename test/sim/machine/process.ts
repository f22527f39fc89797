import type { EngineParameters } from "../../../src/orchestrator/fleet/engine-backend.ts";
import type { Actor } from "../kernel/scheduler.ts";
import { world } from "../kernel/world.ts";

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly oom: boolean;
}

/** The launch of an engine, with the user that it runs as. */
export interface EngineOf extends EngineParameters {
  readonly uid: number | null;
}

/** One process of the machine, which runs or has ended. */
export class Process {
  readonly pid: number;
  /** The pid alone may be used again. */
  readonly startTime: string;
  readonly bootId: string;
  actor: Actor;
  /** Null for a spare. */
  engine: EngineOf | null;
  /** The daemon with which a spare ends. */
  owner: Actor | null = null;
  exit: Exit | null = null;
  /** Does not obey SIGTERM. */
  isDeaf = false;
  /** Survives SIGKILL until then, as in an uninterruptible wait. */
  unkillableUntil = 0;
  /** What SIGTERM does. */
  onTerm: () => void = () => undefined;
  readonly #onExit: ((exit: Exit) => void)[] = [];

  constructor(name: string, engine: EngineOf | null) {
    const { machine, scheduler } = world();
    this.pid = ++machine.lastPid;
    this.startTime = String(Math.round(scheduler.now));
    this.bootId = machine.bootId;
    this.actor = { name, isDead: false, isPaused: false };
    this.engine = engine;
    machine.processes.set(this.pid, this);
  }

  /** A spare is claimed. */
  become(engine: EngineOf): void {
    this.engine = engine;
    this.owner = null;
    this.actor = { name: `engine of ${engine.user_id}`, isDead: false, isPaused: false };
  }

  get isAlive(): boolean {
    return this.exit === null;
  }

  /** Runs as a task of whoever waits for it. */
  whenExited(run: (exit: Exit) => void): void {
    if (this.exit === null) this.#onExit.push(run);
    else run(this.exit);
  }

  signal(name: "SIGTERM" | "SIGKILL"): void {
    if (!this.isAlive) return;
    world().note(`${name} to ${this.actor.name} (${this.pid})`);
    if (name === "SIGTERM") {
      // A process that is stopped gets it when it continues.
      if (!this.isDeaf) world().scheduler.after(0, "SIGTERM", () => this.onTerm(), { actor: this.actor });
      return;
    }
    const waitMs = Math.max(0, this.unkillableUntil - world().scheduler.now);
    world().scheduler.after(
      waitMs,
      `SIGKILL of ${this.actor.name}`,
      () => this.end({ code: null, signal: "SIGKILL", oom: false }),
      { actor: null },
    );
  }

  /** Ends it: the kernel closes its descriptors, and its connections are reset. */
  end(exit: Exit): void {
    if (!this.isAlive) return;
    const { machine, note } = world();
    note(`${this.actor.name} (${this.pid}) exits ${exit.signal ?? exit.code}`);
    this.exit = exit;
    this.actor.isDead = true;
    machine.processes.delete(this.pid);
    machine.network.closeAllOf(this);
    for (const run of this.#onExit.splice(0)) run(exit);
  }
}
