import type { LastError } from "../../contract/orchestrator-api.ts";
import { isoTime } from "../../kit/clock.ts";
import { ApiError } from "../api-error.ts";
import { type EngineProcess, LaunchFailed } from "../fleet/engine-backend.ts";
import { logTail } from "../fleet/engine-log.ts";
import { type BootVerdict, awaitHealthy } from "../fleet/health-probe.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { engineUrl } from "./engine-record.ts";
import { engineFolder } from "./engine-folders.ts";
import { controlToken, launchOrder } from "./launch-order.ts";
import type { Orchestration } from "./orchestration.ts";

const GIVE_UP_TERM_MS = 2000;

export type BootResult =
  | { readonly kind: "running"; readonly engine: EngineRow; readonly live: LiveEngine }
  | { readonly kind: "failed"; readonly lastError: LastError; readonly error: ApiError }
  /** A stop or a destroy took the engine over meanwhile; its process is gone. */
  | { readonly kind: "overtaken" };

/**
 * The shared tail of provision, start and restart: from a claimed row (`provisioning` or `starting`, this
 * incarnation) to `running`. Until then the boot owns the process: whatever else comes out of it, the process is
 * gone when it settles, and the row is left to the caller.
 */
export async function bootEngine(o: Orchestration, engine: EngineRow, product: Product): Promise<BootResult> {
  const abort = new AbortController();
  const settled = o.bootQueue.add(() => boot(o, { engine, product, signal: abort.signal }));
  const inFlight = { abort: (reason: string) => abort.abort(new Error(reason)), settled };
  o.boots.set(engine.id, inFlight);
  try {
    return await settled;
  } finally {
    if (o.boots.get(engine.id) === inFlight) o.boots.delete(engine.id);
  }
}

async function boot(
  o: Orchestration,
  { engine, product, signal }: { engine: EngineRow; product: Product; signal: AbortSignal },
): Promise<BootResult> {
  if (signal.aborted) return { kind: "overtaken" };
  const deadline = o.now() + o.settings.bootTimeoutMs;
  let process: EngineProcess;
  try {
    process = await o.backend.launch(launchOrder(o, engine, product));
  } catch (error) {
    if (error instanceof LaunchFailed) return failed(o, engine, { reason: error.message, cause: error });
    throw error;
  }
  try {
    const url = engineUrl(o.settings.engineHost, engine.port);
    const healthy = awaitHealthy({
      url,
      engineId: engine.id,
      incarnation: engine.incarnation,
      exited: process.exited,
      deadlineMs: deadline - o.now(),
      signal,
    });
    const [recorded, verdict] = await Promise.all([recordProcess(o, engine, process), healthy]);
    process.forgetLaunchFile();
    if (recorded === null || signal.aborted) return await abandon(process, { kind: "overtaken" });
    if (verdict.kind !== "healthy") return await abandon(process, await failed(o, engine, describe(o, verdict)));
    const live: LiveEngine = {
      id: engine.id,
      incarnation: engine.incarnation,
      url,
      controlToken: controlToken(o, engine),
      process,
      healthySince: o.now(),
      lastOkAt: o.now(),
      consecutiveFailures: 0,
      lastActiveAt: null,
    };
    o.live.add(live);
    const running = await o.states.move({
      id: engine.id,
      from: ["starting"],
      to: "running",
      incarnation: engine.incarnation,
      set: {
        provisioned: true,
        version: verdict.version,
        started_at: new Date(o.now()),
        stop_reason: null,
        next_restart_at: null,
      },
    });
    if (running === null) {
      o.live.remove(engine.id, engine.incarnation);
      return await abandon(process, { kind: "overtaken" });
    }
    return { kind: "running", engine: running, live };
  } catch (error) {
    o.live.remove(engine.id, engine.incarnation);
    await abandon(process, null);
    throw error;
  }
}

function recordProcess(o: Orchestration, engine: EngineRow, { handle }: EngineProcess): Promise<EngineRow | null> {
  return o.states.move({
    id: engine.id,
    from: ["provisioning", "starting"],
    to: "starting",
    incarnation: engine.incarnation,
    set: {
      pid: handle.pid,
      boot_id: handle.bootId,
      process_start: handle.startTime,
      deadline_at: new Date(o.now() + o.settings.bootTimeoutMs),
    },
  });
}

async function abandon<T>(process: EngineProcess, result: T): Promise<T> {
  await process.stop(GIVE_UP_TERM_MS);
  return result;
}

interface BootFailure {
  readonly code?: "BACKEND_ERROR" | "BOOT_TIMEOUT";
  readonly reason: string;
  readonly exitCode?: number | null;
  readonly exitSignal?: string | null;
  readonly cause?: unknown;
}

function describe(o: Orchestration, verdict: Exclude<BootVerdict, { kind: "healthy" }>): BootFailure {
  switch (verdict.kind) {
    case "exited": {
      const { code, signal } = verdict.exit;
      const how = signal === null ? `with code ${code ?? "unknown"}` : `on ${signal}`;
      return { reason: `the engine's process exited ${how} before it was healthy`, exitCode: code, exitSignal: signal };
    }
    case "timed_out":
      return {
        code: "BOOT_TIMEOUT",
        reason: `the engine was not healthy within ${o.settings.bootTimeoutMs / 1000} s (${verdict.lastProblem})`,
      };
    case "wrong_identity":
      return { reason: "another program answers on the engine's port" };
    case "aborted":
      return { reason: "the boot was called off" };
    default:
      return verdict satisfies never;
  }
}

async function failed(
  o: Orchestration,
  engine: EngineRow,
  { code = "BACKEND_ERROR", reason, exitCode = null, exitSignal = null, cause }: BootFailure,
): Promise<BootResult> {
  const lastError: LastError = {
    phase: "boot",
    reason,
    exit_code: exitCode,
    signal: exitSignal,
    oom: false,
    log_tail: await logTail(engineFolder(o, engine.id), 20),
    at: isoTime(o.now()),
  };
  o.logger.warn(
    { engine_id: engine.id, incarnation: engine.incarnation, last_error: lastError },
    "engine did not come up",
  );
  return { kind: "failed", lastError, error: new ApiError(code, `engine ${engine.id}: ${reason}`, { cause }) };
}
