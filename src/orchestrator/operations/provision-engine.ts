import { randomUUID } from "node:crypto";
import type { EngineRecord, PolicyAction, ProvisionRequest } from "../../contract/orchestrator-api.ts";
import { delay } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import { ENGINE_KEY_PREFIX, newKey, storedKey } from "../../contract/api-keys.ts";
import { ApiError } from "../api-error.ts";
import { LaunchFailed } from "../fleet/engine-backend.ts";
import {
  discardEngineFolder,
  isRestored,
  prepareEngineFolder,
  settleEngineFolder,
  engineFolder,
  keptFolder,
} from "../fleet/engine-folder.ts";
import { fitsQuota } from "../rules/admission.ts";
import { countEngines, findEngine, findSettledEngine, insertEngine } from "../store/engines.ts";
import { soonestPort, takePort } from "../store/ports.ts";
import { type Product, lockPolicy } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { assertCapacity, assertAllowed } from "./assert-admission.ts";
import { bootInTurn } from "../supervision/boot-engine.ts";
import { endProcess } from "../supervision/end-process.ts";
import { engineRecord } from "../status/engine-record.ts";
import { retryUntilStopped } from "../supervision/retry-until-stopped.ts";
import type { HostContext } from "../host-context.ts";
import { superviseEngine } from "../supervision/supervise-engine.ts";

/** What a provision may take beside its boot: waiting for its turn, its folder, the writing down. */
const RESERVATION_MS = 40_000;

const UNDO_MS = 30_000;
/** How long the caller of a provision that failed waits until nothing of it is left. */
const UNDO_WAIT_MS = 5000;
const TERM_MS = 2000;

/** When every port is taken, some engine has to go first. */
const FULL_RETRY_S = 30;

export interface Provisioned {
  readonly record: EngineRecord;
  /** Shown to the product once, and kept nowhere. */
  readonly apiKey: string;
}

/** A new engine, running unless `start` is false. When it does not come up nothing of it is left. */
export async function provisionEngine(
  host: HostContext,
  product: Product,
  request: ProvisionRequest,
  action: PolicyAction = "provision",
): Promise<Provisioned> {
  assertAllowed(product, action);
  await assertCapacity(host);
  const id = newId("eng");
  return host.owners.own(id, () => provisionAs(host, product, { id, request, action }));
}

async function provisionAs(
  host: HostContext,
  product: Product,
  { id, request, action }: { readonly id: string; readonly request: ProvisionRequest; readonly action: PolicyAction },
): Promise<Provisioned> {
  const apiKey = newKey(ENGINE_KEY_PREFIX);
  const life = { id, incarnation: randomUUID(), product_id: product.record.id, user_id: request.user_id };
  const engine = await reserve(host, product, { life, request, apiKey, action });
  try {
    await prepareEngineFolder(engineFolder(host, engine.id), keptFolder(host, engine));
    if (engine.state === "stopped") return { record: engineRecord(host, engine), apiKey };
    const result = await bootInTurn(host, engine, product);
    if (result.kind === "failed") throw result.error;
    if (result.kind === "overtaken") {
      throw new ApiError("OPERATION_IN_PROGRESS", "the engine was stopped or destroyed while it was being provisioned");
    }
    superviseEngine(host, result.live);
    await settleFolder(host, engine);
    return { record: engineRecord(host, result.engine), apiKey };
  } catch (error) {
    const known =
      error instanceof LaunchFailed ? new ApiError("BACKEND_ERROR", error.message, { cause: error }) : error;
    if (known instanceof ApiError) host.failures.note(engine.id, known);
    await undoSoon(host, engine, { processIsGone: known instanceof ApiError });
    throw known;
  }
}

async function settleFolder(host: Pick<HostContext, "settings" | "logger">, { id }: EngineRow): Promise<void> {
  try {
    await settleEngineFolder(engineFolder(host, id));
  } catch (error) {
    // The engine runs; a mark that stays only matters to a provision that is undone.
    host.logger.warn({ err: error, engine_id: id }, "the mark of a restored folder could not be removed");
  }
}

type Life = Pick<EngineRow, "id" | "incarnation" | "product_id" | "user_id">;

/** One transaction: the product's lock, existence, quota, port and row. Whoever comes second sees the first. */
async function reserve(
  host: HostContext,
  product: Product,
  { life, request, apiKey, action }: { life: Life; request: ProvisionRequest; apiKey: string; action: PolicyAction },
): Promise<EngineRow> {
  const productId = product.record.id;
  let isCommitting = false;
  const reserveNow = () =>
    host.db.transaction().execute(async (trx) => {
      const policy = await lockPolicy(trx, productId);
      if (policy === null) throw new ApiError("PRODUCT_NOT_FOUND", "the product has been deleted");
      if ((await findEngine(trx, productId, request.user_id)) !== null) {
        throw new ApiError("ENGINE_ALREADY_EXISTS", "an engine for this user_id exists");
      }
      const engines = await countEngines(trx, productId);
      if (!fitsQuota(policy, engines)) {
        throw new ApiError("QUOTA_EXCEEDED", `the product has ${engines} of ${policy.max_engines ?? 0} engines`);
      }
      const { id, incarnation } = life;
      const port = await takePort(trx, id, host.settings.portRange);
      if (port === null) {
        const { min, max } = host.settings.portRange;
        const waitS = (await soonestPort(trx, host.settings.portRange)) ?? FULL_RETRY_S;
        throw new ApiError("PORT_EXHAUSTION", `no free port from ${min} to ${max}`, {
          retryAfterS: Math.ceil(waitS) + 1,
        });
      }
      const wanted = request.start ?? true;
      const engine = await insertEngine(trx, {
        id,
        productId,
        userId: request.user_id,
        hostId: host.settings.portRange.hostId,
        port,
        incarnation,
        key: storedKey(apiKey),
        metadata: request.metadata ?? {},
        state: wanted ? "provisioning" : "stopped",
        deadlineAt: wanted ? new Date(host.now() + RESERVATION_MS + host.settings.bootTimeoutMs) : null,
      });
      await host.events.insert(trx, { type: "engine.provisioned", engine, reason: action, data: { port } });
      isCommitting = true;
      return engine;
    });
  try {
    // A crowd waits here, not in the database, where each would hold one of the few connections.
    return await host.lanes.run(`reserve ${productId}`, reserveNow);
  } catch (error) {
    // Before the commit nothing is left; of the commit itself the answer may have been lost.
    if (isCommitting) void host.owners.own(life.id, () => undoReservation(host, life));
    throw error;
  }
}

/**
 * Before the answer where that is possible, else behind it until it is done: nobody has the key of what is left, and the
 * user could have no other engine.
 */
async function undoSoon(
  host: HostContext,
  engine: EngineRow,
  { processIsGone }: { readonly processIsGone: boolean },
): Promise<void> {
  let undo = processIsGone ? undoProvision : abandonProvision;
  const undone = host.owners.own(engine.id, () =>
    retryUntilStopped(host, "provision that failed", () => {
      const now = undo;
      undo = abandonProvision;
      return now(host, engine);
    }),
  );
  await Promise.race([undone, delay(UNDO_WAIT_MS)]);
}

/** Ends the process of a provision too: of one whose boot could not, or that nobody looks after any more. */
export async function abandonProvision(host: HostContext, row: EngineRow): Promise<void> {
  await endProcess(host, row, { drainMs: 0, termMs: TERM_MS });
  await undoProvision(host, row);
}

/** The answer to the commit of a reservation was lost: whether it was committed is known once the product's lock is free again. */
async function undoReservation(
  host: Pick<HostContext, "db" | "states" | "lanes" | "settings" | "now" | "logger" | "stopping">,
  life: Life,
): Promise<void> {
  await retryUntilStopped(host, "reservation", async () => {
    await host.db.transaction().execute((trx) => lockPolicy(trx, life.product_id));
    await undoProvision(host, life);
  });
}

/**
 * Removes only what this provision made, once the row is claimed for that: an engine that has become `running` after
 * all keeps its folder. In the lane of destroys: one that took the engine over has ended by then, perhaps before this
 * provision made the folder.
 */
export function undoProvision(
  host: Pick<HostContext, "db" | "states" | "lanes" | "settings" | "now">,
  engine: Life,
): Promise<void> {
  const { id, incarnation } = engine;
  const folder = engineFolder(host, id);
  const reason = "the provision did not succeed";
  return host.lanes.run(id, async () => {
    const claimed = await host.states.move({
      id,
      from: ["provisioning", "starting", "stopped"],
      to: "destroying",
      incarnation,
      set: {
        desired_state: "destroyed",
        // What an earlier engine of the user left is put back, by whoever ends this.
        keep_data: await isRestored(folder),
        deadline_at: new Date(host.now() + UNDO_MS),
      },
      event: { reason },
    });
    const row = claimed ?? (await findSettledEngine(host.db, id));
    // Another try claimed it, and was cut short after that.
    const isOurs = row?.state === "destroying" && row.incarnation === incarnation;
    if (row !== null && !isOurs) return;
    await discardEngineFolder(folder, keptFolder(host, engine));
    if (isOurs) await host.states.remove({ id, from: ["destroying"], incarnation, reason });
  });
}
