import { plausible } from "../supervision/collect-usage.ts";
import { findUsageCursor, storeUsage } from "../store/metered-usage.ts";
import { deleteSecretsOf } from "../store/secrets.ts";
import { storeNotices } from "../store/turn-notices.ts";
import { ENGINE_STATES } from "../../contract/orchestrator/requests.ts";
import { ApiError } from "../api-error.ts";
import { StorageUnusable } from "../fleet/launch-failed.ts";
import type { Product } from "../store/products.ts";
import { findEngine, findEngineById } from "../store/engines.ts";
import type { EngineRow } from "../store/tables.ts";
import { endProcess, recordStopFailure } from "../supervision/end-process.ts";
import { engineNotFound } from "../status/look-up-engine.ts";
import type { EngineHost, HostContext } from "../host-context.ts";
import { assertAllowed } from "./assert-admission.ts";
import { endLogins } from "./end-logins.ts";

const TERM_MS = 2000;
const DEADLINE_MS = 60_000;

/**
 * Destroys an engine in any state. When this resolves, its process is gone and its port is free. Without `keepData` the
 * user's data are erased, including data that an earlier destroy kept, even when there is no engine.
 * Tested in test/end-to-end/engine-lifecycle.test.ts.
 */
export async function destroyEngine(
  host: EngineHost,
  product: Product,
  { userId, keepData }: { readonly userId: string; readonly keepData: boolean },
): Promise<void> {
  assertAllowed(product, "destroy");
  const { storage } = host.backend;
  const user = { product_id: product.record.id, user_id: userId };
  const engine = await findEngine(host.db, product.record.id, userId);
  if (engine !== null) await destroyRow(host, engine, { keepData });
  else if (keepData || !(await storage.hasKept(user))) engineNotFound();
  if (keepData) return;
  await storage.eraseKept(user);
  // Of a user whose engine was destroyed before, with its data kept.
  await deleteSecretsOf(host.db, { productId: user.product_id, userId });
}

/** Runs in the engine's lane: a second destroy waits for the first and then finds no engine. */
export function destroyRow(host: EngineHost, { id }: EngineRow, { keepData }: { keepData: boolean }): Promise<void> {
  const destroy = async () => {
    const engine = (await claim(host, id, keepData)) ?? (await findEngineById(host.db, id));
    if (engine === null) throw new ApiError("ENGINE_NOT_FOUND", "the engine has been destroyed");
    const end = await endProcess(host, engine, { drainMs: 0, termMs: TERM_MS });
    if (end.kind === "survived") await recordStopFailure(host, engine, { from: "destroying", end });
    await collectRemaining(host, engine);
    await clearStorage(host, engine);
    // Before the secrets, of which one may be a client's.
    await endLogins(host, engine);
    if (!engine.keep_data) await deleteSecretsOf(host.db, { productId: engine.product_id, userId: engine.user_id });
    await host.states.remove({ id, from: ["destroying"], reason: "request" });
  };
  return host.transitions.own(id, () => host.lanes.run(id, destroy));
}

async function clearStorage(host: Pick<HostContext, "backend" | "logger">, engine: EngineRow): Promise<void> {
  const { storage } = host.backend;
  try {
    await (engine.keep_data ? storage.keep(engine) : storage.erase(engine));
  } catch (error) {
    if (!(error instanceof StorageUnusable)) throw error;
    host.logger.error({ err: error, engine_id: engine.id }, "failed to clear an engine's storage");
    throw new ApiError("BACKEND_ERROR", `engine ${engine.id}: ${error.message}`, { cause: error });
  }
}

/** Moves the engine to `destroying` from any other state. Null when it is already there or gone. */
const claim = (host: Pick<HostContext, "states" | "now">, id: string, keepData: boolean): Promise<EngineRow | null> =>
  host.states.move({
    id,
    from: ENGINE_STATES.filter((state) => state !== "destroying"),
    to: "destroying",
    set: {
      desired_state: "destroyed",
      stop_reason: "request",
      keep_data: keepData,
      deadline_at: new Date(host.now() + DEADLINE_MS),
    },
    event: { reason: "destroy", data: { keep_data: keepData } },
  });

/**
 * Collects the usage and the notices of an ended engine before its storage is erased. They are read only if the last
 * reports may be incomplete: after a crash, or a stop during work or without a daemon. A failure does not prevent the
 * destroy.
 */
async function collectRemaining(
  host: Pick<HostContext, "db" | "events" | "backend" | "now" | "logger" | "stopping">,
  engine: EngineRow,
): Promise<void> {
  const { id, incarnation, product_id: productId, user_id: userId } = engine;
  const row = await findEngineById(host.db, id);
  if (row?.usage_collected === incarnation) return;
  const cursor = await findUsageCursor(host.db, { productId, userId });
  const found = await host.backend.storage.readUncollected(engine, cursor, host.stopping);
  if (found.kind === "failed") {
    host.logger.error({ engine_id: id, reason: found.reason }, "failed to read the usage of a destroyed engine");
    return;
  }
  const owner = { productId, userId, engineId: id };
  for (const report of found.usage) await storeUsage(host.db, owner, plausible(report, host.now()));
  await storeNotices(host, { ...owner, incarnation }, found.notices);
}
