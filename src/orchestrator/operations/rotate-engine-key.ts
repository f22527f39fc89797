import type { EngineRecord } from "../../contract/orchestrator/requests.ts";
import { delay } from "../../shared/clock.ts";
import { ENGINE_KEY_PREFIX, type StoredKey, newKey, storedKey } from "../../contract/orchestrator/api-keys.ts";
import { ApiError } from "../api-error.ts";
import { type ControlTarget, setEngineKeys } from "../engine-calls/engine-control.ts";
import { isAsleep, isRunning } from "../rules/engine-lifecycle.ts";
import { appendAudit } from "../store/audit-log.ts";
import { findSettledEngine, replaceEngineKey } from "../store/engines.ts";
import type { Product } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { engineRecord } from "../status/engine-record.ts";
import { inSleepLane } from "../supervision/sleep-lane.ts";
import { retryUntilStopped } from "../supervision/retry-until-stopped.ts";
import { acceptedKeys, controlToken, launchOrder } from "../supervision/launch-order.ts";
import { getEngineRow } from "../status/look-up-engine.ts";
import type { EngineHost, Fleet, HostContext, Records, Runtime } from "../host-context.ts";
import { assertAllowed } from "./assert-admission.ts";

/** How long the call waits until the engine has its stored keys again. */
const RESTORE_WAIT_MS = 2000;
/** How often a rotation is tried while calls wake the engine first. */
const MAX_ATTEMPTS = 5;

interface RotatedKey {
  readonly record: EngineRecord;
  readonly apiKey: string;
  readonly previousExpiresAt: Date;
}

/**
 * Replaces the key of a running or sleeping engine. A running engine gets the new key before it is stored and returned. A
 * sleeping engine gets it when it wakes. If storing fails, the engine gets its stored keys again. Tested in test/faults/rotation-under-load.test.ts.
 */
export function rotateEngineKey(
  host: EngineHost,
  product: Product,
  { userId, graceS }: { readonly userId: string; readonly graceS: number },
): Promise<RotatedKey> {
  assertAllowed(product, "rotate_key");
  const rotate = () => rotateOnce(host, product, { userId, graceS });
  return host.lanes.run(`key ${product.record.id} ${userId}`, async () => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const engine = await getEngineRow(host, product, userId);
      // The sleep lane excludes a sleep during the rotation. A wake in progress uses the key stored before.
      await host.wakes.get(engine.id)?.catch(() => undefined);
      const rotated = await inSleepLane(host, engine.id, rotate);
      if (rotated !== null) return rotated;
    }
    throw new ApiError("OPERATION_IN_PROGRESS", "other calls keep changing this engine; retry later");
  });
}

/** Null when a call woke the engine first. */
async function rotateOnce(
  host: Records & Fleet & Runtime,
  product: Product,
  { userId, graceS }: { readonly userId: string; readonly graceS: number },
): Promise<RotatedKey | null> {
  const engine = await getEngineRow(host, product, userId);
  const apiKey = newKey(ENGINE_KEY_PREFIX);
  const rotation = { key: storedKey(apiKey), graceS, previousExpiresAt: new Date(host.now() + graceS * 1000) };
  const row = isAsleep(engine)
    ? await storeKey(host, engine, rotation)
    : await rotateRunning(host, product, { engine, rotation });
  if (row === null) return null;
  return { record: engineRecord(host, row), apiKey, previousExpiresAt: rotation.previousExpiresAt };
}

interface Rotation {
  readonly key: StoredKey;
  readonly graceS: number;
  readonly previousExpiresAt: Date;
}

async function rotateRunning(
  host: Records & Fleet & Runtime,
  product: Product,
  { engine, rotation }: { readonly engine: EngineRow; readonly rotation: Rotation },
): Promise<EngineRow> {
  if (!isRunning(engine.state)) throw new ApiError("ENGINE_NOT_RUNNING", `the engine is ${engine.state}`);
  const target = { url: host.backend.addressOf(engine), token: controlToken(host, engine) };
  const rotated = {
    id: engine.id,
    key_hash: rotation.key.hash,
    previous_key_hash: engine.key_hash,
    previous_key_expires_at: rotation.previousExpiresAt,
  };
  const outcome = await setEngineKeys(target, acceptedKeys(host, rotated));
  if (outcome.kind === "failed") {
    // The engine may have accepted the key although its response was lost.
    await restoreStoredKeys(host, engine, target);
    throw new ApiError("BACKEND_ERROR", `the engine did not take the key: ${outcome.reason}`);
  }
  try {
    const row = await storeKey(host, engine, rotation);
    if (row === null) throw new ApiError("ENGINE_NOT_RUNNING", "the engine ended while its key was being replaced");
    const live = host.live.get(row.id);
    if (live?.incarnation === row.incarnation) live.order = launchOrder(host, row, product);
    return row;
  } catch (error) {
    await restoreStoredKeys(host, engine, target);
    throw error;
  }
}

/** Null when the engine is no longer the incarnation that was read. */
function storeKey(
  host: Pick<HostContext, "db" | "events">,
  { id, incarnation, product_id }: EngineRow,
  { key, graceS, previousExpiresAt }: Rotation,
): Promise<EngineRow | null> {
  return host.db.transaction().execute(async (trx) => {
    const replaced = await replaceEngineKey(trx, { id, incarnation, key, previousExpiresAt });
    if (replaced === null) return null;
    await appendAudit(trx, {
      action: "engine.key_rotated",
      product_id,
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
}

/**
 * Sends the engine the stored keys: the old ones, or the new ones when only the commit's result was lost. While the
 * database is unavailable the engine accepts both, and this is retried in the background.
 */
async function restoreStoredKeys(
  host: Pick<HostContext, "db" | "box" | "logger" | "stopping">,
  { id, incarnation }: EngineRow,
  target: ControlTarget,
): Promise<void> {
  const restore = async () => {
    const row = await findSettledEngine(host.db, id);
    if (row?.incarnation === incarnation) await setEngineKeys(target, acceptedKeys(host, row));
  };
  await Promise.race([retryUntilStopped(host, "key rotation", restore), delay(RESTORE_WAIT_MS)]);
}
