import type { EngineRecord } from "../../contract/orchestrator-api.ts";
import { delay } from "../../shared/clock.ts";
import { ENGINE_KEY_PREFIX, newKey, storedKey } from "../../contract/api-keys.ts";
import { ApiError } from "../api-error.ts";
import { type ControlTarget, setEngineKeys } from "../fleet/engine-control.ts";
import { isRunning } from "../rules/engine-lifecycle.ts";
import { appendAudit } from "../store/audit-log.ts";
import { findSettledEngine, replaceEngineKey } from "../store/engines.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { engineRecord, engineUrl } from "../status/engine-record.ts";
import { retryUntilStopped } from "../supervision/retry-until-stopped.ts";
import { acceptedKeys, controlToken, launchOrder } from "../supervision/launch-order.ts";
import { getEngineRow } from "../status/look-up-engine.ts";
import type { HostContext } from "../host-context.ts";
import { assertAllowed } from "./assert-admission.ts";

/** How long the call waits until the engine has its stored keys again. */
const RESTORE_WAIT_MS = 2000;

interface RotatedKey {
  readonly record: EngineRecord;
  readonly apiKey: string;
  readonly previousExpiresAt: Date;
}

/**
 * Replaces a running engine's key without a restart. The engine gets the new key first, then it is stored and returned.
 * If storing fails, the engine gets its stored keys again. Tested in test/faults/rotation-under-load.test.ts.
 */
export function rotateEngineKey(
  host: HostContext,
  product: Product,
  { userId, graceS }: { readonly userId: string; readonly graceS: number },
): Promise<RotatedKey> {
  assertAllowed(product, "rotate_key");
  return host.lanes.run(`key ${product.record.id} ${userId}`, async () => {
    const engine = await getEngineRow(host, product, userId);
    if (!isRunning(engine.state)) throw new ApiError("ENGINE_NOT_RUNNING", `the engine is ${engine.state}`);
    const target = { url: engineUrl(host.settings.engineHost, engine.port), token: controlToken(host, engine) };
    const apiKey = newKey(ENGINE_KEY_PREFIX);
    const key = storedKey(apiKey);
    const previousExpiresAt = new Date(host.now() + graceS * 1000);
    const outcome = await setEngineKeys(target, [
      { hash: key.hash, expires_at: null },
      { hash: engine.key_hash, expires_at: previousExpiresAt.toISOString() },
    ]);
    if (outcome.kind === "failed") {
      // The engine may have accepted the key although its response was lost.
      await restoreStoredKeys(host, engine, target);
      throw new ApiError("BACKEND_ERROR", `the engine did not take the key: ${outcome.reason}`);
    }
    try {
      const { id, incarnation } = engine;
      const row = await host.db.transaction().execute(async (trx) => {
        const replaced = await replaceEngineKey(trx, { id, incarnation, key, previousExpiresAt });
        if (replaced === null) return null;
        await appendAudit(trx, {
          action: "engine.key_rotated",
          product_id: product.record.id,
          engine_id: id,
          detail: { prefix: key.prefix, last4: key.last4, grace_s: graceS },
        });
        await host.events.insert(trx, {
          type: "engine.key_rotated",
          engine: replaced,
          reason: "request",
          data: { previous_expires_at: previousExpiresAt.toISOString() },
        });
        return replaced;
      });
      if (row === null) throw new ApiError("ENGINE_NOT_RUNNING", "the engine ended while its key was being replaced");
      const live = host.live.get(id);
      if (live?.incarnation === incarnation) live.order = launchOrder(host, row, product);
      return { record: engineRecord(host, row), apiKey, previousExpiresAt };
    } catch (error) {
      await restoreStoredKeys(host, engine, target);
      throw error;
    }
  });
}

/**
 * Sends the engine the stored keys: the old ones, or the new ones when only the commit's result was lost. While the
 * database is unavailable the engine accepts both, and this is retried in the background.
 */
async function restoreStoredKeys(
  host: Pick<HostContext, "db" | "logger" | "stopping">,
  { id, incarnation }: EngineRow,
  target: ControlTarget,
): Promise<void> {
  const restore = async () => {
    const row = await findSettledEngine(host.db, id);
    if (row?.incarnation === incarnation) await setEngineKeys(target, acceptedKeys(row));
  };
  await Promise.race([retryUntilStopped(host, "key rotation", restore), delay(RESTORE_WAIT_MS)]);
}
