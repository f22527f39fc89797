import type { EngineRecord } from "../../contract/orchestrator-api.ts";
import { delay } from "../../shared/clock.ts";
import { ApiError } from "../api-error.ts";
import { mayStart } from "../rules/engine-lifecycle.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { assertCapacity, assertAllowed } from "./assert-admission.ts";
import { type BootResult, bootEngine } from "../supervision/boot-engine.ts";
import { engineRecord } from "../status/engine-record.ts";
import type { FailedBoot } from "../supervision/boot-failure.ts";
import { newIncarnation } from "../supervision/new-incarnation.ts";
import { retryMove } from "../supervision/retry-move.ts";
import { exitEventData } from "../supervision/last-error.ts";
import { getEngineRow } from "../status/look-up-engine.ts";
import type { HostContext } from "../host-context.ts";
import { superviseEngine } from "../supervision/supervise-engine.ts";

/** How long the caller of a start that failed waits until that is written down. */
const NOTE_MS = 5000;

/** Starts an engine at rest. When it does not come up it is left `failed`, its data intact. */
export async function startEngine(host: HostContext, product: Product, userId: string): Promise<EngineRecord> {
  assertAllowed(product, "start");
  await assertCapacity(host);
  const engine = await getEngineRow(host, product, userId);
  const verdict = mayStart(engine.state);
  if (verdict !== "go") throw new ApiError(verdict, `the engine is ${engine.state}`);
  // Claimed in its turn, not before: a start that the host has no room for leaves the engine as it was.
  const turn = { productId: engine.product_id, requested: true };
  const result = await host.owners.own(engine.id, () =>
    host.bootQueue.run(turn, async (slot) => {
      const claimed = await slot.outside(claim(host, engine));
      return claimed === null ? null : bootClaimed(host, { engine: claimed, product, slot });
    }),
  );
  if (result === null) return startEngine(host, product, userId);
  if (result.kind === "failed") throw result.error;
  if (result.kind === "overtaken") {
    throw new ApiError("OPERATION_IN_PROGRESS", "the engine was stopped or destroyed while it was starting");
  }
  superviseEngine(host, result.live);
  return engineRecord(host, result.engine);
}

const claim = (host: Pick<HostContext, "states" | "settings" | "now">, { id }: EngineRow): Promise<EngineRow | null> =>
  host.states.move({
    id,
    from: ["stopped", "failed", "backoff"],
    to: "starting",
    set: newIncarnation(host, { desired_state: "running", restart_count: 0, restart_window_started_at: null }),
    event: { reason: "request" },
  });

async function bootClaimed(host: HostContext, boot: Parameters<typeof bootEngine>[1]): Promise<BootResult> {
  const result = await bootEngine(host, boot);
  if (result.kind === "failed") await Promise.race([noteFailure(host, boot.engine, result), delay(NOTE_MS)]);
  return result;
}

/** Goes on behind the answer while the database is away: what failed must not be started again by itself. */
function noteFailure(
  host: Pick<HostContext, "db" | "states" | "owners" | "now" | "logger" | "stopping">,
  { id, incarnation }: EngineRow,
  { lastError }: FailedBoot,
): Promise<unknown> {
  return host.owners.own(id, () =>
    retryMove(host, "failed start", () => ({
      id,
      from: ["starting"],
      to: "failed",
      incarnation,
      set: { pid: null, last_error: JSON.stringify(lastError), stopped_at: new Date(host.now()) },
      event: { reason: lastError.reason, data: exitEventData(lastError) },
    })),
  );
}
