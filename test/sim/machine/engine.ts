import { CONTROL_PATHS, CONTROL_TOKEN_HEADER } from "../../../src/contract/engine/control.ts";
import { ENGINE_EXITS } from "../../../src/contract/engine/exit.ts";
import { world } from "../kernel/world.ts";
import type { Connection } from "./network.ts";
import type { EngineOf, Process } from "./process.ts";

/** A user's call, which is one turn. */
export const TURN_PATH = "/turn";

interface TurnRequest {
  readonly id: string;
  readonly ms: number;
}

/** What an engine's program does, from its start on: boots, accepts calls, sleeps, exits. */
export function runEngine(process: Process, engine: EngineOf, descriptor: number): void {
  const { scheduler, machine } = world();
  machine.launches++;
  scheduler.as(process.actor, () => new Engine(process, engine, descriptor).boot());
}

class Engine {
  readonly #process: Process;
  readonly #engine: EngineOf;
  readonly #descriptor: number;
  readonly #open = new Set<Connection>();
  #running = 0;
  #isDraining = false;
  #idleSince = 0;
  #stopAccepting: () => void = () => undefined;

  constructor(process: Process, engine: EngineOf, descriptor: number) {
    this.#process = process;
    this.#engine = engine;
    this.#descriptor = descriptor;
  }

  boot(): void {
    const { scheduler, draws, faults } = world();
    const isBad = draws.chance("bad boot", faults.badBoots);
    const fate = isBad ? draws.weighted("boot", BAD_BOOTS) : "serves";
    this.#process.isDeaf = draws.chance("deaf engine", faults.deafEngines);
    this.#process.onTerm = () => this.#exitAfter(draws.integer("stop ms", 1, 300), 0);
    this.#process.whenExited(() => {
      for (const connection of this.#open) connection.settle({ kind: "reset" });
    });
    if (faults.isDiskFull) return this.#exitAfter(50, ENGINE_EXITS.disk_full.code);
    if (fate === "hangs") return;
    if (fate === "crashes") return this.#exitAfter(draws.integer("crash ms", 1, 500), 1);
    if (fate === "damaged") return this.#exitAfter(100, ENGINE_EXITS.store_damaged.code);
    const ms = fate === "slow" ? draws.integer("slow boot ms", 1000, 12_000) : draws.integer("boot ms", 15, 400);
    scheduler.after(ms, `${this.#process.actor.name} serves`, () => this.#serve());
  }

  #serve(): void {
    const { machine, scheduler } = world();
    // The store is locked by the process that uses it.
    const other = machine
      .engines()
      .find((one) => one !== this.#process && one.engine?.engine_id === this.#engine.engine_id);
    if (other !== undefined) return this.#exitAfter(1, ENGINE_EXITS.store_locked.code);
    machine.folders.make(this.#engine.engine_id);
    this.#idleSince = scheduler.now;
    const socket = machine.network.of(this.#descriptor);
    if (socket === undefined) return this.#exitAfter(1, ENGINE_EXITS.port_taken.code);
    const { actor } = this.#process;
    this.#stopAccepting = socket.accept(this.#process, (connection) => {
      this.#open.add(connection);
      scheduler.after(0, `${actor.name} accepts`, () => this.#take(connection), { actor });
    });
  }

  #take(connection: Connection): void {
    if (connection.isClosed) {
      this.#open.delete(connection);
      return;
    }
    const { path, headers } = connection.request;
    const [route = ""] = path.split("?");
    const answer = (status: number, body: unknown) => {
      this.#open.delete(connection);
      connection.settle({ kind: "answered", status, body });
    };
    if (route === "/health") return answer(200, this.#health());
    if (route === TURN_PATH) return this.#turn(connection.request.body as TurnRequest, answer);
    if (headers[CONTROL_TOKEN_HEADER] !== this.#engine.control_token) return answer(404, {});
    if (route === CONTROL_PATHS.sleep)
      return this.#sleep(connection.request.body as { readonly idle_ms: number }, answer);
    if (route === CONTROL_PATHS.drain) this.#isDraining = true;
    answer(200, this.#status());
  }

  #turn({ id, ms }: TurnRequest, answer: (status: number, body: unknown) => void): void {
    const { machine, scheduler } = world();
    const { engine_id: engineId } = this.#engine;
    const folder = machine.folders.of(engineId);
    if (this.#isDraining || folder === undefined) return answer(503, { error: "ENGINE_DRAINING" });
    const done = folder.turns.get(id) ?? 0;
    // A call that is repeated gets the answer of its turn.
    if (done > 0) return answer(200, { id });
    this.#running++;
    scheduler.after(ms, `turn ${id}`, () => {
      this.#running--;
      this.#idleSince = scheduler.now;
      folder.turns.set(id, (folder.turns.get(id) ?? 0) + 1);
      answer(200, { id });
    });
  }

  #sleep({ idle_ms: idleMs }: { readonly idle_ms: number }, answer: (status: number, body: unknown) => void): void {
    const { scheduler, draws } = world();
    // This call is open too.
    const awake = this.#running > 0 ? ["turn"] : this.#open.size > 1 ? ["request"] : [];
    if (awake.length > 0 || scheduler.now - this.#idleSince < idleMs)
      return answer(409, { error: "ENGINE_BUSY", details: { awake } });
    // What comes from now on waits in the kernel.
    this.#stopAccepting();
    answer(200, this.#status());
    this.#exitAfter(draws.integer("sleep ms", 1, 200), ENGINE_EXITS.slept.code);
  }

  #health() {
    const { engine_id, incarnation } = this.#engine;
    return { status: "ok", engine_id, incarnation, version: "1.0.0", active_turns: this.#running };
  }

  #status() {
    const isIdle = this.#running === 0;
    const { scheduler, wallNow } = world();
    const idleMs = isIdle ? Math.round(scheduler.now - this.#idleSince) : null;
    return {
      active_turns: this.#running,
      pending_hitl: 0,
      streams: 0,
      draining: this.#isDraining,
      last_active_at: null,
      idle_since: idleMs === null ? null : new Date(wallNow() - idleMs).toISOString(),
      idle_ms: idleMs,
      learning_due_at: null,
      awake: isIdle ? [] : ["turn"],
      disk_bytes: null,
      usage_revision: 0,
      last_notice: null,
      questions_revision: 0,
    };
  }

  #exitAfter(ms: number, code: number): void {
    world().scheduler.after(
      ms,
      `${this.#process.actor.name} exits`,
      () => this.#process.end({ code, signal: null, oom: false }),
      { actor: this.#process.actor },
    );
  }
}

const BAD_BOOTS = [
  ["crashes", 4],
  ["slow", 3],
  ["hangs", 1],
  ["damaged", 1],
] as const;
