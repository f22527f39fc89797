import { shownProcess } from "../../contract/orchestrator/engine-handle.ts";
import type { EngineProcess } from "../fleet/engine-backend.ts";
import { setEngineKeys } from "../engine-calls/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { retryUntilStopped } from "../supervision/retry-until-stopped.ts";
import { acceptedKeys, launchOrder, liveEngine } from "../supervision/launch-order.ts";
import type { Fleet, HostContext, Records, Runtime } from "../host-context.ts";
import { MISSES_UNHEALTHY } from "../supervision/watch-engine.ts";

/** Supervises the process of an earlier daemon and records the adoption. Without an answer it is adopted as unhealthy. */
export async function adoptEngine(
  host: Records & Fleet & Runtime,
  row: EngineRow,
  {
    process,
    product,
    answers,
  }: { readonly process: EngineProcess; readonly product: Product | null; readonly answers: boolean },
): Promise<void> {
  const { id, incarnation } = row;
  if (product === null) throw new Error(`the product ${row.product_id} of a running engine does not exist`);
  const healthySince = row.started_at?.getTime() ?? host.now();
  const order = launchOrder(host, row, product);
  const live = liveEngine(host, row, { process, order, healthySince, isAdopted: true });
  await process.settle();
  if (!answers) live.consecutiveFailures = MISSES_UNHEALTHY;
  host.supervisor.adopt(live);
  if (answers) await sendStoredKeys(host, row, live);
  await retryUntilStopped(host, "adoption", () =>
    host.states.move({
      id,
      from: answers ? ["starting", "running", "unhealthy", "sleeping"] : ["running", "unhealthy"],
      to: answers ? "running" : "unhealthy",
      incarnation,
      set: { handle: JSON.stringify(process.handle), started_at: row.started_at ?? new Date(host.now()) },
      event: { type: "engine.adopted", always: true, data: { ...shownProcess(process.handle), port: row.port } },
    }),
  );
}

/** An interrupted key rotation may have sent the engine a key that was never stored. */
async function sendStoredKeys(
  host: Pick<HostContext, "probes" | "box" | "logger">,
  row: EngineRow,
  { url, controlToken: token }: LiveEngine,
): Promise<void> {
  const outcome = await host.probes.add(() => setEngineKeys({ url, token }, acceptedKeys(host, row)));
  if (outcome.kind === "failed")
    host.logger.warn({ engine_id: row.id, reason: outcome.reason }, "failed to send an adopted engine its keys");
}
