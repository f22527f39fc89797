import { randomUUID } from "node:crypto";
import { DEFAULT_POLICY } from "../../src/contract/orchestrator/requests.ts";
import { newId } from "../../src/shared/ids.ts";
import { newKey, storedKey } from "../../src/contract/orchestrator/api-keys.ts";
import type { Db } from "../../src/orchestrator/store/database.ts";
import { EngineStates } from "../../src/orchestrator/store/engine-states.ts";
import { insertEngine } from "../../src/orchestrator/store/engines.ts";
import { EventLog } from "../../src/orchestrator/store/events.ts";
import { takePort } from "../../src/orchestrator/store/ports.ts";
import { insertProduct } from "../../src/orchestrator/store/products.ts";
import type { EngineRow } from "../../src/orchestrator/store/tables.ts";

export const range = { hostId: "host_1", min: 20_000, max: 20_009, reuseDelayS: 0, isUsed: true };

export const newStates = (db: Db, events = new EventLog(range.hostId)): EngineStates => new EngineStates(db, events);

export async function insertedProduct(db: Db, slug = "p"): Promise<{ id: string; hash: string }> {
  const id = newId("prd");
  const key = storedKey(newKey("orchp_"));
  const fields = { id, slug, name: null, policy: DEFAULT_POLICY, sealedEngineEnv: null, engineEnvNames: [], key };
  await db.transaction().execute((trx) => insertProduct(trx, fields));
  return { id, hash: key.hash };
}

/** Null when there is no port. */
export async function insertedEngine(
  db: Db,
  productId: string,
  userId: string,
  ports = range,
): Promise<EngineRow | null> {
  return db.transaction().execute(async (trx) => {
    const id = newId("eng");
    const port = await takePort(trx, id, ports);
    if (port === null) return null;
    const key = storedKey(newKey("sk-orch-"));
    const deadlineAt = new Date(Date.now() + 3_600_000);
    const life = { incarnation: randomUUID(), desiredState: "running", deadlineAt } as const;
    return insertEngine(trx, {
      id,
      productId,
      userId,
      hostId: ports.hostId,
      port,
      key,
      metadata: {},
      plan: null,
      ...life,
    });
  });
}
