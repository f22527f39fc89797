import type { WakeReason } from "../../contract/engine/sleep.ts";
import { delay } from "../../shared/clock.ts";
import { logStep } from "../../shared/log-step.ts";
import { ApiError } from "../api-error.ts";
import type { EngineHost, HostContext } from "../host-context.ts";
import { suspensionDenial } from "../rules/admission.ts";
import { isAsleep } from "../rules/engine-lifecycle.ts";
import { isDatabaseUnavailable } from "../store/database.ts";
import { findEngineById } from "../store/engines.ts";
import { type Product, findProduct } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { awaitCallsIfAsleep } from "./await-calls.ts";
import { newIncarnation } from "./new-incarnation.ts";
import type { BootResult, WakeOutcome } from "./supervisor.ts";
import { retryUntilStopped } from "./retry-until-stopped.ts";
import { sleepSettled } from "./sleep-lane.ts";

/** `Retry-After` of calls that wait for an engine which cannot be woken, when nothing else is known. */
const RETRY_AFTER_S = 5;
/** How long calls are refused before the policy is read again: the end of a suspension applies within a second. */
const SUSPENDED_MS = 200;

export function wakeEngine(host: EngineHost, engineId: string, reason: WakeReason): Promise<WakeOutcome> {
  const inFlight = host.wakes.get(engineId);
  if (inFlight !== undefined) return inFlight;
  logStep(host.logger, "call_noticed", engineId);
  host.backend.expectLaunch?.();
  const wake = host.transitions
    .own(engineId, () => wakeDespiteLoss(host, engineId, reason))
    .finally(() => host.wakes.delete(engineId));
  host.wakes.set(engineId, wake);
  return wake;
}

export async function wakeWithAnswer(host: EngineHost, engineId: string, reason: WakeReason): Promise<void> {
  try {
    const outcome = await wakeEngine(host, engineId, reason);
    if (outcome.kind === "failed") await refuseCalls(host, engineId, outcome.error);
  } catch (error) {
    host.logger.warn({ err: error, engine_id: engineId, reason }, "failed to wake an engine");
    await refuseCalls(host, engineId, null);
  }
}

/**
 * Tries once more when the database does not answer. On a busy host one connection is lost or comes late, while callers
 * wait anyway. A wake that had claimed the engine is finished by the reaper.
 */
async function wakeDespiteLoss(host: EngineHost, engineId: string, reason: WakeReason): Promise<WakeOutcome> {
  try {
    return await wakeNow(host, engineId, reason);
  } catch (error) {
    if (!isDatabaseUnavailable(error) || host.stopping.aborted) throw error;
    host.logger.warn({ err: error, engine_id: engineId, reason }, "failed to wake an engine, retrying");
    return wakeNow(host, engineId, reason);
  }
}

async function wakeNow(host: EngineHost, engineId: string, reason: WakeReason): Promise<WakeOutcome> {
  await sleepSettled(host, engineId);
  const row = await findEngineById(host.db, engineId);
  if (row === null || !isAsleep(row)) return { kind: "not_asleep" };
  const product = await findProduct(host.db, row.product_id);
  if (product === null) return { kind: "not_asleep" };
  const denial = suspensionDenial(product.record.policy);
  if (denial !== null) return { kind: "failed", error: new ApiError("POLICY_DENIED", denial) };
  const startedAt = performance.now();
  const outcome = await bootAsleep(host, { row, product, reason }).catch((error: unknown): WakeOutcome => {
    // The host has no awake slot or no boot slot.
    if (error instanceof ApiError) return { kind: "failed", error };
    throw error;
  });
  host.metrics.wakes.inc({ reason, outcome: outcome.kind });
  if (outcome.kind === "awake") host.metrics.wakeSeconds.observe((performance.now() - startedAt) / 1000);
  return outcome;
}

async function bootAsleep(
  host: EngineHost,
  { row, product, reason }: { readonly row: EngineRow; readonly product: Product; readonly reason: WakeReason },
): Promise<WakeOutcome> {
  // No client waits for a scheduled run.
  const request = { engineId: row.id, requested: reason !== "schedule", claim: () => claim(host, row, reason) };
  return wakeOutcome(host, row.id, await host.supervisor.bootClaimed(product, request));
}

/** Fails until the old process has exited. */
const claim = (
  host: Pick<HostContext, "states" | "settings" | "now">,
  { id, incarnation }: EngineRow,
  reason: WakeReason,
): Promise<EngineRow | null> =>
  host.states.move({
    id,
    from: ["sleeping"],
    to: "starting",
    incarnation,
    withoutProcess: true,
    set: newIncarnation(host, { woken_by: reason, sleep_reason: null }),
    event: { type: "engine.woke", reason },
  });

/** An engine that fails to boot is restarted by the restart rule, since its desired state is `running`. */
function wakeOutcome(
  host: Pick<HostContext, "supervisor" | "transitions" | "logger">,
  id: string,
  result: BootResult | null,
): WakeOutcome {
  switch (result?.kind) {
    case "running":
      return { kind: "awake", engine: result.engine };
    case undefined:
    case "overtaken":
      return { kind: "not_asleep" };
    case "failed": {
      const { incarnation, lastError, error } = result;
      const restarted = host.transitions.own(id, () =>
        host.supervisor.restartOrFail({ id, incarnation, from: ["starting"], lastError, healthyForMs: 0 }),
      );
      restarted.catch((cause: unknown) =>
        host.logger.error({ err: cause, engine_id: id }, "failed to restart an engine after its wake"),
      );
      return { kind: "failed", error };
    }
    default:
      return result satisfies never;
  }
}

/** The response to calls whose engine could not be woken. It reveals nothing of the engine, since callers may be anyone. */
export function callAnswer(error: ApiError | null): {
  readonly code: "POLICY_DENIED" | "SLEEPING_BUSY";
  readonly message: string;
  readonly retryAfterS?: number;
} {
  if (error?.code === "POLICY_DENIED") return { code: "POLICY_DENIED", message: error.message };
  const isBusy = error?.code === "CAPACITY_EXHAUSTED";
  const message = isBusy ? error.message : "the engine did not start; retry later";
  return { code: "SLEEPING_BUSY", message, retryAfterS: error?.retryAfterS ?? RETRY_AFTER_S };
}

/** Refuses the calls on an engine's socket for a while. Then the next call wakes it, or its restart serves them. */
async function refuseCalls(host: EngineHost, engineId: string, error: ApiError | null): Promise<void> {
  const { sockets } = host.backend;
  const answer = callAnswer(error);
  // A launch has ended the refusal. Refusing again would take connections from the engine.
  if (host.stopping.aborted || !sockets.isHeld(engineId) || host.boots.has(engineId)) return;
  if (host.live.get(engineId) !== undefined) return;
  try {
    sockets.refuse(engineId, answer);
  } catch (error) {
    // Without a free descriptor, for example. The calls keep waiting in the kernel.
    host.logger.warn({ err: error, engine_id: engineId }, "failed to refuse calls of an engine that cannot be woken");
  }
  const waitMs = answer.retryAfterS === undefined ? SUSPENDED_MS : answer.retryAfterS * 1000;
  if (!(await delay(waitMs, host.stopping))) return;
  // Refuses as long as the database is away.
  await retryUntilStopped(host, "calls of a sleeping engine", () => awaitCallsIfAsleep(host, engineId));
}
