import { Daemon, type Setup } from "./daemon.ts";
import { type Faults, noFaults } from "./kernel/faults.ts";
import { world } from "./kernel/world.ts";
import type { Process } from "./machine/process.ts";
import type { Actor } from "./kernel/scheduler.ts";
import type { Event } from "./plan-events.ts";

/** How long a service manager waits before it starts the daemon again. */
const RESTART_MS = 1000;
/** The statement that gives an engine its user id. */
const CHOOSES_UID = 'update "engines" set "uid"';

/** The daemons of a run, and what goes wrong with them and their world. */
export class Fleet {
  readonly #setup: Setup;
  readonly #clock: { offset: number };
  readonly #daemons: Daemon[] = [];
  #lives = 0;
  #troubles = 0;
  #quietSince: number | null = 0;
  /** Troubles that wait for a change of an engine. */
  #sudden: { readonly does: Event["does"]; left: number }[] = [];

  constructor(setup: Setup, clock: { offset: number }) {
    this.#setup = setup;
    this.#clock = clock;
  }

  /** When the last trouble ended. Null while there is one. */
  get quietSince(): number | null {
    return this.#troubles > 0 ? null : this.#quietSince;
  }

  get hasLostDaemon(): boolean {
    return this.#lives > (this.#setup.hasReplicas ? 2 : 1);
  }

  /** The daemon that serves. */
  get leader(): Daemon | null {
    return this.#daemons.find((one) => one.host !== null && !one.actor.isPaused) ?? null;
  }

  /** The daemon that a client's call reaches. A frozen one answers when it thaws. */
  get addressee(): Daemon | null {
    const frozen = this.#daemons.find(({ actor, host }) => actor.isPaused && host !== null);
    return frozen !== undefined && world().draws.chance("call to a frozen daemon", 0.5) ? frozen : this.leader;
  }

  open(): void {
    const { postgres, draws, faults } = world();
    postgres.commitListeners.push(({ client }, hasChanged) => {
      if (hasChanged("engines")) this.#changed(client);
    });
    postgres.losesRace = (sql) =>
      faults.races > 0 && sql.startsWith(CHOOSES_UID) && draws.chance("lost race", faults.races);
    for (let replica = 0; replica < (this.#setup.hasReplicas ? 2 : 1); replica++) this.#start();
  }

  #start(): void {
    const daemon = new Daemon(`daemon ${++this.#lives}`, this.#setup);
    this.#daemons.push(daemon);
    daemon.whenGone(() => {
      this.#daemons.splice(this.#daemons.indexOf(daemon), 1);
      world().scheduler.after(RESTART_MS, "restart of a daemon", () => this.#start(), { actor: null });
    });
    daemon.start();
  }

  /** Makes a trouble, now or at a later change of an engine. False for a command. */
  trouble({ does, change }: Event): boolean {
    if (change === undefined) return this.#make(does, this.leader);
    this.#sudden.push({ does, left: change });
    return true;
  }

  /** A daemon is committing a change of an engine. */
  #changed(client: Actor | null): void {
    const { faults, scheduler } = world();
    for (const one of this.#sudden) one.left--;
    const due = this.#sudden.filter(({ left }) => left <= 0);
    this.#sudden = this.#sudden.filter(({ left }) => left > 0);
    const daemon = this.#daemons.find(({ actor }) => actor === client) ?? this.leader;
    for (const { does } of due)
      if (does.kind === "answer is lost") faults.losesNextAnswer = true;
      else if (does.kind === "answer is late") faults.lateAnswerMs = does.ms;
      // The change has taken effect, and its answer is on its way.
      else scheduler.after(0, does.kind, () => this.#make(does, daemon), { actor: null });
  }

  #make(does: Event["does"], daemon: Daemon | null): boolean {
    const { postgres, scheduler, note } = world();
    switch (does.kind) {
      case "engine crashes":
        this.#onEngine(does.user, (process) => process.end({ code: 1, signal: null, oom: false }));
        return true;
      case "engine out of memory":
        this.#onEngine(does.user, (process) => process.end({ code: null, signal: "SIGKILL", oom: true }));
        return true;
      case "engine hangs":
        this.#onEngine(does.user, ({ actor }) => {
          scheduler.pause(actor);
          this.#during(does.kind, does.ms, () => scheduler.resume(actor));
        });
        return true;
      case "engine is unkillable":
        this.#onEngine(does.user, (process) => {
          process.unkillableUntil = scheduler.now + does.ms;
          process.isDeaf = true;
          this.#during(does.kind, does.ms, () => undefined);
        });
        return true;
      case "daemon dies":
        daemon?.kill();
        return true;
      case "daemon stops":
        daemon?.stop();
        return true;
      case "daemon freezes": {
        const actor = daemon?.actor;
        if (actor === undefined || actor.isPaused || actor.isDead) return true;
        scheduler.pause(actor);
        this.#during(does.kind, does.ms, () => scheduler.resume(actor));
        return true;
      }
      case "postgres freezes":
        scheduler.pause(postgres.actor);
        this.#during(does.kind, does.ms, () => scheduler.resume(postgres.actor));
        return true;
      case "postgres is away":
        postgres.crash();
        this.#during(does.kind, does.ms, () => {
          postgres.isDown = false;
        });
        return true;
      case "answer is lost":
        world().faults.losesNextAnswer = true;
        return true;
      case "answer is late":
        world().faults.lateAnswerMs = does.ms;
        return true;
      case "change is late":
        world().faults.lateChangeMs = does.ms;
        return true;
      case "answers are lost":
        return this.#fault(does, { lostAnswers: does.share });
      case "statements are late":
        return this.#fault(does, { lateStatements: does.share });
      case "statements race":
        return this.#fault(does, { races: does.share });
      case "boots are bad":
        return this.#fault(does, { badBoots: does.share });
      case "launches fail":
        return this.#fault(does, { failedLaunches: does.share });
      case "processes are unknown":
        return this.#fault(does, { unknownProcesses: does.share });
      case "engines are deaf":
        return this.#fault(does, { deafEngines: does.share });
      case "disk is full":
        return this.#fault(does, { isDiskFull: true });
      case "memory is full":
        return this.#fault(does, { isMemoryFull: true });
      case "clock is set":
        note(`the clock is set by ${does.ms} ms`);
        this.#clock.offset += does.ms;
        return true;
      default:
        return false;
    }
  }

  #fault({ kind, ms }: { readonly kind: string; readonly ms: number }, faults: Partial<Faults>): true {
    Object.assign(world().faults, faults);
    const none = noFaults();
    const names = Object.keys(faults) as (keyof Faults)[];
    this.#during(kind, ms, () =>
      Object.assign(world().faults, Object.fromEntries(names.map((name) => [name, none[name]]))),
    );
    return true;
  }

  #during(kind: string, ms: number, end: () => void): void {
    const { scheduler, note } = world();
    note(`${kind} for ${ms} ms`);
    this.#troubles++;
    scheduler.after(
      ms,
      `end: ${kind}`,
      () => {
        note(`${kind} no more`);
        this.#troubles--;
        this.#quietSince = scheduler.now;
        end();
      },
      { actor: null },
    );
  }

  #onEngine(user: string, act: (process: Process) => void): void {
    const engines = world().machine.engines();
    const process = engines.find(({ engine }) => engine?.user_id === user) ?? engines[0];
    if (process === undefined) return;
    act(process);
  }
}
