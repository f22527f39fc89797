import { shownProcess } from "../../contract/orchestrator/engine-handle.ts";
import { isExit } from "../../contract/engine/exit.ts";
import { logStep } from "../../shared/log-step.ts";
import { ApiError, daemonStops } from "../api-error.ts";
import type { EngineProcess } from "../fleet/engine-backend.ts";
import { LaunchFailed, PortTaken } from "../fleet/launch-failed.ts";
import { type BootVerdict, awaitHealthy } from "../engine-calls/health-probe.ts";
import type { LiveEngine, SupervisedOrder } from "../fleet/live-engines.ts";
import { isDatabaseUnavailable } from "../store/database.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { describeFailure, failedBoot } from "./boot-failure.ts";
import type { BootResult } from "./supervisor.ts";
import type { BootSlot } from "./boot-queue.ts";
import { bootDeadline } from "./new-incarnation.ts";
import { prepareKnowledge } from "./prepare-knowledge.ts";
import { retryMove } from "./retry-until-stopped.ts";
import { prepareCatalog } from "./prepare-catalog.ts";
import { ProcessSurvived } from "./process-survived.ts";
import { launchAsLeader } from "./launch-as-leader.ts";
import { launchOrder, liveEngine } from "./launch-order.ts";
import type { Fleet, HostContext, Records, Runtime, StartLimits } from "../host-context.ts";

const ABANDON_TERM_MS = 2000;

export interface Boot {
  /** A committed row of this incarnation, in `provisioning` or `starting`. */
  readonly engine: EngineRow;
  readonly product: Product;
  readonly slot: BootSlot;
  /** Cancels the boot. */
  readonly signal: AbortSignal;
}

/** A boot's outcome before supervision has started. */
export type UnsupervisedBoot =
  | (Extract<BootResult, { kind: "running" }> & { readonly live: LiveEngine })
  | Exclude<BootResult, { kind: "running" }>;

/**
 * Launches the engine on the port of its row and waits until it is healthy and its row is `running`. After every other
 * outcome the process is gone and the row is unchanged. Rejects when the database fails, or the process survives.
 */
export async function bootOnPort(
  host: Records & Fleet & StartLimits & Runtime,
  { engine, product, slot, signal }: Boot,
  deadline: number,
): Promise<UnsupervisedBoot | { readonly kind: "port_taken" }> {
  let order: SupervisedOrder;
  let process: EngineProcess;
  try {
    logStep(host.logger, "row_claimed", engine.id);
    order = launchOrder(host, engine, product);
    await slot.awaitDatabase(prepareCatalog(host, product.record.id, product.catalog));
    const knowledge = await slot.awaitDatabase(prepareForLaunch(host, product));
    order = { ...order, launch: { ...order.launch, ...knowledge } };
    logStep(host.logger, "launch_prepared", engine.id);
    // I2 commit before spawn: a later daemon finds this process by the incarnation of the committed row.
    process = await launchAsLeader(host, order, signal);
    logStep(host.logger, "process_claimed", engine.id);
  } catch (error) {
    if (error instanceof PortTaken) return { kind: "port_taken" };
    // The call that cancelled the boot may have removed the engine's files.
    if (signal.aborted) return { kind: "overtaken" };
    // The engine is not to blame. The reaper starts it again.
    if (error instanceof ApiError || isDatabaseUnavailable(error)) throw error;
    const reason = error instanceof LaunchFailed ? error.message : "the engine's launch could not be prepared";
    return failedBoot(host, engine, { reason, cause: error });
  }
  const launched = { engineId: engine.id, process };
  try {
    const healthy = awaitHealthy({
      url: process.address,
      engineId: engine.id,
      incarnation: engine.incarnation,
      exited: process.exited,
      deadlineMs: deadline - performance.now(),
      signal,
    });
    const recording = recordProcess(host, engine, process);
    // Awaited below. Without this an earlier rejection would count as unhandled.
    recording.catch(() => undefined);
    const verdict = await healthy;
    logStep(host.logger, "found_healthy", engine.id);
    await process.settle();
    if (verdict.kind === "healthy") slot.release();
    const recorded = await slot.awaitDatabase(recording);
    if (recorded === null || signal.aborted) return await abandon(host, launched, { kind: "overtaken" });
    if (isPortTaken(verdict)) return await abandon(host, launched, { kind: "port_taken" });
    if (verdict.kind !== "healthy")
      return await abandon(host, launched, await failedBoot(host, engine, describeFailure(host, verdict)));
    const live = liveEngine(host, engine, { process, order, healthySince: host.now() });
    host.live.add(live);
    const running = await enterRunning(host, engine, { process, version: verdict.version, signal });
    if (running === undefined && !signal.aborted) throw daemonStops();
    if (!running) {
      host.live.remove(engine.id, engine.incarnation);
      return await abandon(host, launched, { kind: "overtaken" });
    }
    logStep(host.logger, "row_running", engine.id);
    host.breaker.recordHealthy(engine.id);
    return { kind: "running", engine: running, live };
  } catch (error) {
    host.live.remove(engine.id, engine.incarnation);
    // The next daemon finds it, and the row may be `running`.
    if (!host.stopping.aborted && !(error instanceof ProcessSurvived)) await abandon(host, launched, null);
    throw error;
  }
}

/** The file that the engine searches. Without it, the engine is told of its product's knowledge when it runs. */
async function prepareForLaunch(
  host: Records & Fleet & Runtime,
  { record: { id }, knowledge }: Product,
): Promise<Pick<SupervisedOrder["launch"], "product_knowledge">> {
  try {
    const file = await prepareKnowledge(host, id, knowledge);
    return file === null ? {} : { product_knowledge: { ...knowledge, digest: file.name } };
  } catch (error) {
    host.logger.error({ err: error, product_id: id }, "failed to prepare a product's knowledge");
    return {};
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
      handle: JSON.stringify(handle),
      deadline_at: bootDeadline(host),
    },
  });
}

/**
 * The process is healthy, so it waits for the database. Null when another operation has taken the engine over, undefined
 * when the boot is cancelled or the daemon stops.
 */
function enterRunning(
  host: Pick<HostContext, "db" | "states" | "now" | "logger" | "stopping">,
  { id, incarnation, port }: EngineRow,
  {
    process,
    version,
    signal,
  }: { readonly process: EngineProcess; readonly version: string | null; readonly signal: AbortSignal },
): Promise<EngineRow | null | undefined> {
  const { db, states, logger } = host;
  return retryMove({ db, states, logger, stopping: AbortSignal.any([host.stopping, signal]) }, "start", () => ({
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
    event: { data: { port, ...shownProcess(process.handle), version } },
  }));
}

/** A daemon that no longer leads leaves the process to the next leader, which may have adopted it. */
async function abandon<T>(
  { leadership }: Pick<HostContext, "leadership">,
  { engineId, process }: { readonly engineId: string; readonly process: EngineProcess },
  result: T,
): Promise<T> {
  const end = (await leadership.isHeld()) ? await process.stop(ABANDON_TERM_MS) : null;
  if (end?.kind === "survived") throw new ProcessSurvived(engineId, end);
  return result;
}

/** Another program may take the port between the check before the launch and the engine's own listen. */
const isPortTaken = (verdict: BootVerdict): boolean =>
  verdict.kind === "wrong_identity" || (verdict.kind === "exited" && isExit(verdict.exit.code, "port_taken"));
