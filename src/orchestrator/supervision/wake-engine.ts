import type { WakeReason } from "../../contract/sleep.ts";
import { delay } from "../../shared/clock.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { isAsleep } from "../rules/engine-lifecycle.ts";
import { findEngineById } from "../store/engines.ts";
import { type Product, findProduct } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { awaitCallsIfAsleep } from "./await-calls.ts";
import { withAwakeSlot } from "./acquire-awake-slot.ts";
import type { BootResult } from "./boot-result.ts";
import { newIncarnation } from "./new-incarnation.ts";
import type { WakeOutcome } from "./wake-outcome.ts";
import { sleepSettled } from "./sleep-lane.ts";
import { bootSupervised, restartOrFail } from "./supervise-engine.ts";

/** `Retry-After` of calls that wait for an engine which cannot be woken, when nothing else is known. */
const RETRY_AFTER_S = 5;

/** Wakes an engine. Concurrent wakes of one engine share one boot and one outcome. */
export function wakeEngine(host: HostContext, engineId: string, reason: WakeReason): Promise<WakeOutcome> {
  const inFlight = host.wakes.get(engineId);
  if (inFlight !== undefined) return inFlight;
  const wake = host.transitions
    .own(engineId, () => wakeNow(host, engineId, reason))
    .finally(() => host.wakes.delete(engineId));
  host.wakes.set(engineId, wake);
  return wake;
}

/** Wakes an engine for calls that wait on its socket. Never rejects: after a failure it answers the calls. */
export async function wakeWithAnswer(host: HostContext, engineId: string, reason: WakeReason): Promise<void> {
  try {
    const outcome = await wakeEngine(host, engineId, reason);
    if (outcome.kind === "failed") await refuseCalls(host, engineId, outcome.error);
  } catch (error) {
    host.logger.warn({ err: error, engine_id: engineId, reason }, "failed to wake an engine");
    await refuseCalls(host, engineId, null);
  }
}

async function wakeNow(host: HostContext, engineId: string, reason: WakeReason): Promise<WakeOutcome> {
  await sleepSettled(host, engineId);
  const row = await findEngineById(host.db, engineId);
  if (row === null || !isAsleep(row)) return { kind: "not_asleep" };
  const product = await findProduct(host.db, row.product_id);
  if (product === null) return { kind: "not_asleep" };
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

function bootAsleep(
  host: HostContext,
  { row, product, reason }: { readonly row: EngineRow; readonly product: Product; readonly reason: WakeReason },
): Promise<WakeOutcome> {
  // No client waits for a scheduled run.
  const request = { engineId: row.id, productId: row.product_id, requested: reason !== "schedule" };
  return withAwakeSlot(host, request, () =>
    host.bootQueue.run(request, async (slot) => {
      const claimed = await slot.awaitDatabase(claim(host, row, reason));
      if (claimed === null) return { kind: "not_asleep" };
      return wakeOutcome(host, claimed, await bootSupervised(host, { engine: claimed, product, slot }));
    }),
  );
}

/** I2 commit before spawn: the claim commits the new incarnation. It fails until the old process has exited. */
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
function wakeOutcome(host: HostContext, { id, incarnation }: EngineRow, result: BootResult): WakeOutcome {
  switch (result.kind) {
    case "running":
      return { kind: "awake", engine: result.engine };
    case "overtaken":
      return { kind: "not_asleep" };
    case "failed": {
      const { lastError, error } = result;
      const restarted = host.transitions.own(id, () =>
        restartOrFail(host, { id, incarnation, from: ["starting"], lastError, healthyForMs: 0 }),
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
export function busyAnswer(error: ApiError | null): { readonly message: string; readonly retryAfterS: number } {
  const isBusy = error?.code === "CAPACITY_EXHAUSTED";
  const message = isBusy ? error.message : "the engine did not start; retry later";
  return { message, retryAfterS: error?.retryAfterS ?? RETRY_AFTER_S };
}

/** Refuses the calls on an engine's socket for some seconds. Then the next call wakes it, or its restart serves them. */
async function refuseCalls(host: HostContext, engineId: string, error: ApiError | null): Promise<void> {
  const { sockets } = host.backend;
  const answer = busyAnswer(error);
  // A launch has ended the refusal. Refusing again would take connections from the engine.
  if (host.stopping.aborted || !sockets.isHeld(engineId) || host.boots.has(engineId)) return;
  if (host.live.get(engineId) !== undefined) return;
  sockets.refuse(engineId, answer);
  if (await delay(answer.retryAfterS * 1000, host.stopping)) await awaitCallsIfAsleep(host, engineId);
}
