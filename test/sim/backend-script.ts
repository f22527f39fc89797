import { PortTaken } from "../../src/orchestrator/fleet/launch-failed.ts";
import type { askEngine } from "../../src/orchestrator/engine-calls/ask-engine.ts";
import { awaitHealthy } from "../../src/orchestrator/engine-calls/health-probe.ts";
import { sleepEngine } from "../../src/orchestrator/engine-calls/engine-control.ts";
import type { EngineBackend, EngineProcess, LaunchOrder } from "../../src/orchestrator/fleet/engine-backend.ts";

/** A world with a backend, real or simulated. */
export interface BackendWorld {
  readonly backend: EngineBackend;
  /** Another daemon on the same machine. */
  readonly later: EngineBackend;
  order(engine: "well-behaved" | "ignores-sigterm"): Promise<LaunchOrder>;
  readonly askEngine: typeof askEngine;
  /** SIGKILL by somebody else. */
  kill(process: EngineProcess): void;
}

type Log = (step: string, what: unknown) => void;

const incarnationOf = ({ launch: { incarnation: id, engine_id: engineId, port }, uid }: LaunchOrder) => ({
  id,
  engineId,
  port,
  uid,
});

/** The same steps in either world. Returns what happened, without what is random in it. */
export async function backendScript(world: BackendWorld): Promise<readonly string[]> {
  const lines: string[] = [];
  const log: Log = (step, what) => lines.push(`${step}: ${JSON.stringify(what)}`);
  await lifeOfEngine(world, log);
  await sleepAndWake(world, log);
  await deafEngine(world, log);
  await crash(world, log);
  return lines;
}

/** An answer of an engine or for it, without its body. */
async function call(world: BackendWorld, url: string, timeoutMs = 5000): Promise<unknown> {
  const answer = await world.askEngine({ url: `${url}/health`, timeoutMs });
  return answer.kind === "answered" ? answer.status : answer.reason;
}

async function launched({ backend }: BackendWorld, order: LaunchOrder, log: Log): Promise<EngineProcess> {
  const process = await backend.launch(order);
  const { engine_id: engineId, incarnation } = order.launch;
  const { signal } = new AbortController();
  const { exited, address: url } = process;
  const verdict = await awaitHealthy({ url, engineId, incarnation, exited, deadlineMs: 30_000, signal });
  log("launch", verdict.kind);
  await process.settle();
  return process;
}

async function lifeOfEngine(world: BackendWorld, log: Log): Promise<void> {
  const { backend, later } = world;
  const order = await world.order("well-behaved");
  const incarnation = incarnationOf(order);
  const { engineId, port } = incarnation;
  const process = await launched(world, order, log);
  log("held by the daemon", backend.sockets.isHeld(engineId));
  log(
    "a second launch",
    await backend.launch(order).then(
      () => "launched",
      (error: Error) => `${error.name}: ${error.message}`,
    ),
  );
  const { handle } = process;
  const attached = await later.attach(incarnation, handle);
  log("attach", attached.kind);
  log("attach without a handle", (await later.attach(incarnation, null)).kind);
  log("attach of another start", await later.attach(incarnation, { ...handle, startTime: "1" }));
  log("attach of another boot", await later.attach(incarnation, { ...handle, bootId: "another" }));
  log("orphans", (await later.listOrphans([])).filter(({ incarnation: id }) => id === incarnation.id).length);
  log("no orphan", (await later.listOrphans([{ id: incarnation.id, uid: null }])).length);
  if (attached.kind === "running") await attached.process.settle();
  log("held by the later daemon", later.sockets.isHeld(engineId));
  log("stop", await process.stop(5000));
  if (attached.kind === "running") log("exit as the later daemon sees it", await attached.process.exited);
  log("attach after the exit", await later.attach(incarnation, handle));
  log("orphans of the exited", await later.endOrphans(incarnation));
  later.sockets.release(engineId);
  backend.sockets.release(engineId);
  log("conflict", await backend.addressConflict(incarnation));
  log("a call of a released port", await call(world, `http://127.0.0.1:${port}`));
}

/** Calls wait while nobody accepts them, and are answered by whoever does. */
async function sleepAndWake(world: BackendWorld, log: Log): Promise<void> {
  const { backend } = world;
  const order = await world.order("well-behaved");
  const { engineId, port } = incarnationOf(order);
  const process = await launched(world, order, log);
  const target = { url: process.address, token: order.launch.control_token };
  log("sleep", (await sleepEngine(target, { idleMs: 0, noticesRead: 0, questionsRead: 0 })).kind);
  log("exit of a sleeper", (await process.exited).code);
  const called = Promise.withResolvers<string>();
  backend.sockets.awaitCall(engineId, () => called.resolve("told"));
  const waiting = call(world, process.address, 20_000);
  log("a call", await called.promise);
  backend.sockets.refuse(engineId, { code: "SLEEPING_BUSY", message: "later", retryAfterS: 5 });
  log("refused", await waiting);
  const next = { ...order, launch: { ...order.launch, incarnation: "00000000-0000-4000-8000-000000000001" } };
  const woken = await launched(world, next, log);
  log("answered", await call(world, woken.address));
  const other = await world.order("well-behaved");
  log(
    "a taken port",
    await backend.launch({ ...other, launch: { ...other.launch, port } }).then(
      () => "launched",
      (error: unknown) => error instanceof PortTaken,
    ),
  );
  log("stop", await woken.stop(5000));
  backend.sockets.release(engineId);
}

async function deafEngine(world: BackendWorld, log: Log): Promise<void> {
  const order = await world.order("ignores-sigterm");
  const process = await launched(world, order, log);
  log("stop of a deaf engine", await process.stop(300));
  const { code, signal, oom } = await process.exited;
  log("exit", [code, signal, oom]);
  world.backend.sockets.release(order.launch.engine_id);
}

async function crash(world: BackendWorld, log: Log): Promise<void> {
  const order = await world.order("well-behaved");
  const process = await launched(world, order, log);
  world.kill(process);
  const { code, signal, oom } = await process.exited;
  log("exit", [code, signal, oom]);
  log("attach", await world.later.attach(incarnationOf(order), process.handle));
  log("held after a crash", world.backend.sockets.isHeld(order.launch.engine_id));
  log("stop of the dead", await process.stop(1000));
  world.backend.sockets.release(order.launch.engine_id);
}
