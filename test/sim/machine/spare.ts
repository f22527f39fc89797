import type { SpareProcess } from "../../../src/orchestrator/fleet/process/spares/spare-process.ts";
import type { ProcessExit } from "../../../src/orchestrator/fleet/engine-backend.ts";
import { world } from "../kernel/world.ts";
import { runEngine } from "./engine.ts";
import { type EngineOf, Process } from "./process.ts";

/** What the product's pool uses of a spare. */
type Spare = Pick<SpareProcess, "identity" | "ready" | "exited" | "claim" | "end">;

/** A process that waits for its engine. It ends when it is not claimed before its daemon ends. */
export function startSpare(): SpareProcess {
  const { scheduler, draws, faults, machine } = world();
  const { actor } = scheduler;
  if (draws.chance("failed launch", faults.failedLaunches)) throw new Error("EAGAIN");
  const process = new Process("spare", null);
  process.owner = actor;
  const exit = Promise.withResolvers<ProcessExit>();
  process.whenExited((end) => scheduler.after(1, "exit of a spare", () => exit.resolve(end), { actor }));
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => undefined);
  exit.promise.then(() => ready.reject(new Error("it ended")), ready.reject);
  scheduler.after(draws.integer("spare ms", 20, 600), "a spare is ready", () => process.isAlive && ready.resolve(), {
    actor,
  });
  const end = () => {
    if (process.engine === null) process.end({ code: null, signal: "SIGKILL", oom: false });
  };
  const spare: Spare = {
    identity: { pid: process.pid, startTime: process.startTime },
    ready: ready.promise,
    exited: exit.promise,
    claim({ launch }, { listener }) {
      const socket = machine.network.of(listener);
      if (!process.isAlive || socket === undefined) throw new Error("the spare had exited");
      const engine = JSON.parse(launch) as EngineOf;
      process.become(engine);
      runEngine(process, engine, machine.network.share(socket, process));
    },
    end,
  };
  return spare as SpareProcess;
}
