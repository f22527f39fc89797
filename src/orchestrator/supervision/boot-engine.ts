import { isExit } from "../../contract/engine-exit.ts";
import { type EngineProcess, LaunchFailed, type LaunchOrder, PortTaken } from "../fleet/engine-backend.ts";
import { type BootVerdict, awaitHealthy } from "../fleet/health-probe.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { findSettledEngine } from "../store/engines.ts";
import type { Product } from "../store/products.ts";
import { changePort } from "../store/ports.ts";
import type { EngineRow } from "../store/tables.ts";
import { type FailedBoot, describe, failed } from "./boot-failure.ts";
import { type BootSlot, BootCancelled } from "./boot-queue.ts";
import { removeOrphanedFolder } from "./remove-orphaned-folder.ts";
import { engineUrl } from "../status/engine-record.ts";
import { bootDeadline } from "./new-incarnation.ts";
import { launchOrder } from "./launch-order.ts";
import { liveEngine } from "./live-engine.ts";
import type { HostContext } from "../host-context.ts";

const GIVE_UP_TERM_MS = 2000;
/** How many ports that other programs hold are passed over before a start is given up. */
const MAX_PORTS = 16;

export type BootResult =
  | { readonly kind: "running"; readonly engine: EngineRow; readonly live: LiveEngine }
  | FailedBoot
  /** A stop or a destroy took the engine over meanwhile; its process is gone. */
  | { readonly kind: "overtaken" };

/**
 * The shared tail of provision, start and restart: from a claimed row (`provisioning` or `starting`, this
 * incarnation) to `running`. Until then the boot owns the process: whatever else comes out of it, the process is
 * gone when it settles, and the row is left to the caller. The caller has its turn in the boot queue already.
 */
export const bootEngine = (
  host: HostContext,
  { engine, product, slot }: { readonly engine: EngineRow; readonly product: Product; readonly slot: BootSlot },
): Promise<BootResult> => inFlight(host, engine, (signal) => bootInSlot(host, { engine, product, slot, signal }));

/** As {@link bootEngine}, after waiting for a turn in the boot queue; a stop or a destroy ends the waiting too. */
export const bootInTurn = (host: HostContext, engine: EngineRow, product: Product): Promise<BootResult> =>
  inFlight(host, engine, async (signal) => {
    try {
      const turn = { productId: engine.product_id, requested: true, signal };
      return await host.bootQueue.run(turn, (slot) => bootInSlot(host, { engine, product, slot, signal }));
    } catch (error) {
      if (error instanceof BootCancelled) return { kind: "overtaken" };
      throw error;
    }
  });

/** Lets others end the boot while it goes on. */
async function inFlight(
  host: Pick<HostContext, "db" | "boots" | "lanes" | "settings">,
  engine: EngineRow,
  work: (signal: AbortSignal) => Promise<BootResult>,
): Promise<BootResult> {
  const abort = new AbortController();
  const settled = work(abort.signal);
  const entry = { abort: (reason: string) => abort.abort(new Error(reason)), settled };
  host.boots.set(engine.id, entry);
  try {
    const result = await settled;
    if (result.kind === "overtaken") await removeOrphanedFolder(host, engine);
    return result;
  } finally {
    if (host.boots.get(engine.id) === entry) host.boots.delete(engine.id);
  }
}

interface Boot {
  readonly engine: EngineRow;
  readonly product: Product;
  readonly slot: BootSlot;
  readonly signal: AbortSignal;
}

/** What follows a boot waits for the database, and needs no slot. */
const bootInSlot = (host: HostContext, order: Boot): Promise<BootResult> =>
  boot(host, order).finally(() => order.slot.release());

/** On the engine's port, or when another program has that one, on the next that is free. */
async function boot(host: HostContext, { engine, product, slot, signal }: Boot): Promise<BootResult> {
  const began = performance.now();
  const deadline = began + host.settings.bootTimeoutMs;
  let attempt = engine;
  for (let ports = 1; !signal.aborted; ports++) {
    const result = await bootOnPort(host, { engine: attempt, product, slot, signal }, deadline);
    if (result.kind !== "port_taken") {
      host.metrics.bootSeconds.observe({ outcome: result.kind }, (performance.now() - began) / 1000);
      return result;
    }
    host.logger.warn({ engine_id: engine.id, port: attempt.port }, "another program has the engine's port");
    const moved =
      ports < MAX_PORTS
        ? await slot.outside(changePort(host.db, attempt, { range: host.settings.portRange, events: host.events }))
        : null;
    if (moved === null) return failed(host, attempt, { reason: `port ${attempt.port} is taken by another program` });
    attempt = moved;
  }
  return { kind: "overtaken" };
}

async function bootOnPort(
  host: HostContext,
  { engine, product, slot, signal }: Boot,
  deadline: number,
): Promise<BootResult | { readonly kind: "port_taken" }> {
  let order: LaunchOrder;
  let process: EngineProcess;
  try {
    order = launchOrder(host, engine, product);
    process = await host.backend.launch(order);
  } catch (error) {
    if (error instanceof PortTaken) return { kind: "port_taken" };
    const reason = error instanceof LaunchFailed ? error.message : "the engine's start cannot be prepared";
    return failed(host, engine, { reason, cause: error });
  }
  try {
    const url = engineUrl(host.settings.engineHost, engine.port);
    const healthy = awaitHealthy({
      url,
      engineId: engine.id,
      incarnation: engine.incarnation,
      exited: process.exited,
      deadlineMs: deadline - performance.now(),
      signal,
    });
    const recording = recordProcess(host, engine, process);
    // Awaited below: a rejection that comes before that is not unhandled.
    recording.catch(() => undefined);
    const verdict = await healthy;
    process.discardLaunchFile();
    if (verdict.kind === "healthy") slot.release();
    const recorded = await slot.outside(recording);
    if (recorded === null || signal.aborted) return await abandon(process, { kind: "overtaken" });
    if (isPortTaken(verdict)) return await abandon(process, { kind: "port_taken" });
    if (verdict.kind !== "healthy") return await abandon(process, await failed(host, engine, describe(host, verdict)));
    const live = liveEngine(host, engine, { process, order, healthySince: host.now() });
    host.live.add(live);
    const running = await enterRunning(host, engine, { pid: process.handle.pid, version: verdict.version });
    if (running === null) {
      host.live.remove(engine.id, engine.incarnation);
      return await abandon(process, { kind: "overtaken" });
    }
    host.breaker.recordHealthy(engine.id);
    return { kind: "running", engine: running, live };
  } catch (error) {
    host.live.remove(engine.id, engine.incarnation);
    await abandon(process, null);
    throw error;
  }
}

function recordProcess(
  host: Pick<HostContext, "states" | "settings" | "now">,
  engine: EngineRow,
  { handle }: EngineProcess,
): Promise<EngineRow | null> {
  return host.states.move({
    id: engine.id,
    from: ["provisioning", "starting"],
    to: "starting",
    incarnation: engine.incarnation,
    set: {
      pid: handle.pid,
      boot_id: handle.bootId,
      process_start: handle.startTime,
      deadline_at: bootDeadline(host),
    },
  });
}

async function enterRunning(
  host: Pick<HostContext, "db" | "states" | "now">,
  { id, incarnation, port }: EngineRow,
  { pid, version }: { readonly pid: number; readonly version: string | null },
): Promise<EngineRow | null> {
  try {
    return await host.states.move({
      id,
      from: ["starting"],
      to: "running",
      incarnation,
      set: {
        provisioned: true,
        version,
        started_at: new Date(host.now()),
        stop_reason: null,
        next_restart_at: null,
      },
      event: { data: { port, pid, version } },
    });
  } catch (error) {
    // The statement was lost, or only its answer: the row says which.
    const row = await findSettledEngine(host.db, id);
    if (row?.incarnation === incarnation && row.state === "running") return row;
    throw error;
  }
}

async function abandon<T>(process: EngineProcess, result: T): Promise<T> {
  await process.stop(GIVE_UP_TERM_MS);
  return result;
}

/** An engine may find its port taken although it was free when it was launched. */
const isPortTaken = (verdict: BootVerdict): boolean =>
  verdict.kind === "wrong_identity" || (verdict.kind === "exited" && isExit(verdict.exit.code, "port_taken"));
