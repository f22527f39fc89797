import { inBackground } from "../../shared/background.ts";
import type { StartingHost } from "../host-context.ts";
import { bootClaimed, bootNew, restartOrFail, scheduleRestart, superviseAdopted } from "./supervise-engine.ts";
import type { Supervisor } from "./supervisor.ts";
import { wakeEngine, wakeWithAnswer } from "./wake-engine.ts";

/** `host` returns the host that the supervisor is part of. */
export const createSupervisor = (host: () => StartingHost): Supervisor => ({
  bootNew: (engine, product) => bootNew(host(), engine, product),
  bootClaimed: (product, request) => bootClaimed(host(), product, request),
  adopt: (live) => superviseAdopted(host(), live),
  restart: (engine) => scheduleRestart(host(), engine),
  restartOrFail: (exit) => restartOrFail(host(), exit),
  wake: (engineId, reason) => wakeEngine(host(), engineId, reason),
  wakeForCalls: (engineId, reason) =>
    inBackground("wake", wakeWithAnswer(host(), engineId, reason), { engine_id: engineId, reason }),
});
