import type { LaunchOrder } from "../../src/orchestrator/fleet/engine-backend.ts";
import { NO_STORE } from "../../src/orchestrator/fleet/sockets/socket-store.ts";
import { type BackendWorld, backendScript } from "./backend-script.ts";
import { loggerOf } from "./daemon.ts";
import type { Actor } from "./kernel/scheduler.ts";
import { world } from "./kernel/world.ts";
import { askEngine } from "./modules/ask-engine.ts";
import { createBackend } from "./machine/backend.ts";

const HOUR_MS = 3_600_000;
const NO_SPARES = { target: 0, freeBoots: () => 0, fitting: () => 0 };

/** The script in the world that was entered, each daemon as an actor of its own. */
export async function runBackendScript(): Promise<readonly string[]> {
  const { scheduler, machine } = world();
  const actorOf = (name: string): Actor => ({ name, isDead: false, isPaused: false });
  const [first, second] = [actorOf("daemon"), actorOf("later daemon")];
  const backendOf = (actor: Actor) =>
    scheduler.as(actor, () => createBackend({ logger: loggerOf(actor.name), store: NO_STORE, spares: NO_SPARES }));
  const later = backendOf(second);
  let orders = 0;
  const parts: BackendWorld = {
    backend: backendOf(first),
    // Its descriptors are its own.
    later: {
      ...later,
      attach: (...args) => scheduler.as(second, () => later.attach(...args)),
    },
    order: (engine) => {
      world().faults.deafEngines = engine === "ignores-sigterm" ? 1 : 0;
      orders++;
      const launch = {
        engine_id: `eng_${orders}`,
        incarnation: `00000000-0000-4000-8000-00000000010${orders}`,
        product: "acme",
        user_id: engine,
        port: 20_000 + orders,
        control_token: "token",
      };
      return Promise.resolve({ launch, memoryMb: 256, uid: null, cpuWeight: 100 } as unknown as LaunchOrder);
    },
    askEngine,
    kill: ({ handle }) =>
      machine.processes.get(Number(handle["pid"]))?.end({ code: null, signal: "SIGKILL", oom: false }),
  };
  let lines: readonly string[] | null = null;
  scheduler.as(first, () =>
    backendScript(parts).then(
      (all) => (lines = all),
      (error: unknown) => (lines = [String(error)]),
    ),
  );
  await scheduler.run(HOUR_MS, () => lines !== null);
  return lines ?? ["the script does not end"];
}
