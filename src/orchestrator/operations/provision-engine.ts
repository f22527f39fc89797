import { randomUUID } from "node:crypto";
import { inBackground } from "../../shared/background.ts";
import type { EngineRecord, PolicyAction, ProvisionRequest } from "../../contract/orchestrator/requests.ts";
import { newId } from "../../shared/ids.ts";
import { ENGINE_KEY_PREFIX, newKey, storedKey } from "../../contract/orchestrator/api-keys.ts";
import { ApiError } from "../api-error.ts";
import { LaunchFailed } from "../fleet/launch-failed.ts";
import { fitsQuota } from "../rules/admission.ts";
import { countEngines, findEngine, findEngineById, insertEngine } from "../store/engines.ts";
import type { Trx } from "../store/database.ts";
import { type PortRange, soonestPort, takePort } from "../store/ports.ts";
import { holdPlan } from "../store/plans.ts";
import { type Product, lockPolicy } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { assertCapacity, assertAllowed } from "./assert-admission.ts";
import { assertPlan, unknownPlan } from "./assert-plan.ts";
import { engineRecord } from "../status/engine-record.ts";
import type { EngineHost, HostContext, Service } from "../host-context.ts";
import { ProcessSurvived } from "../supervision/process-survived.ts";
import { type ProvisionedIncarnation, undoFailedProvision, undoReservation } from "./undo-provision.ts";

/** The time limit of a provision without its boot: waiting for a slot, the folder and the database. */
const RESERVATION_MS = 40_000;

const OVERTAKEN = "the engine was stopped or destroyed while it was being provisioned";

/** `Retry-After` when every port is taken by an engine. */
const FULL_RETRY_S = 30;

interface Provisioned {
  readonly record: EngineRecord;
  /** Returned once and never stored. */
  readonly apiKey: string;
}

/**
 * Provisions an engine and starts it unless `start` is false. If it does not boot, everything is undone.
 * Tested in test/end-to-end/engine-lifecycle.test.ts.
 */
export async function provisionEngine(
  host: EngineHost & Service,
  product: Product,
  request: ProvisionRequest,
  action: PolicyAction = "provision",
): Promise<Provisioned> {
  assertAllowed(product, action);
  assertPlan(product, request.plan);
  await assertCapacity(host);
  const id = newId("eng");
  host.backend.expectLaunch?.();
  return host.transitions.own(id, () => provisionWithId(host, product, { id, request, action }));
}

async function provisionWithId(
  host: EngineHost & Service,
  product: Product,
  { id, request, action }: { readonly id: string; readonly request: ProvisionRequest; readonly action: PolicyAction },
): Promise<Provisioned> {
  const apiKey = newKey(ENGINE_KEY_PREFIX);
  const identity = { id, incarnation: randomUUID(), product_id: product.record.id, user_id: request.user_id };
  const engine = await reserve(host, product, { identity, request, apiKey, action });
  try {
    await prepareStorage(host, engine);
    if (engine.desired_state === "stopped")
      return { record: engineRecord(host, await leaveStopped(host, engine)), apiKey };
    const result = await host.supervisor.bootNew(engine, product);
    if (result.kind === "failed") throw result.error;
    if (result.kind === "overtaken") {
      throw new ApiError("OPERATION_IN_PROGRESS", OVERTAKEN);
    }
    await settleStorage(host, engine);
    return { record: engineRecord(host, result.engine), apiKey };
  } catch (error) {
    const known =
      error instanceof LaunchFailed ? new ApiError("BACKEND_ERROR", error.message, { cause: error }) : error;
    host.failures.record(engine.id, sharedFailure(known));
    await undoFailedProvision(host, engine, {
      processIsGone: known instanceof ApiError && !(known instanceof ProcessSurvived),
    });
    throw known;
  }
}

/**
 * Runs in the engine's lane: a destroy clears the storage afterwards, or has ended and nothing is created. A daemon that
 * was frozen creates nothing either, since the next leader has undone the provision.
 */
const prepareStorage = (
  host: Pick<HostContext, "db" | "backend" | "lanes" | "leadership">,
  engine: EngineRow,
): Promise<void> =>
  host.lanes.run(engine.id, async () => {
    if ((await findEngineById(host.db, engine.id)) === null) throw new ApiError("OPERATION_IN_PROGRESS", OVERTAKEN);
    if (!(await host.leadership.isHeld())) throw new LaunchFailed("this daemon no longer leads the host");
    await host.backend.storage.prepare(engine);
  });

/** Only now, so that no call starts an engine whose storage is not prepared. */
async function leaveStopped(
  host: Pick<HostContext, "states" | "backend" | "logger">,
  { id, incarnation }: EngineRow,
): Promise<EngineRow> {
  const engine = await host.states.move({
    id,
    from: ["provisioning"],
    to: "stopped",
    incarnation,
    set: { provisioned: true },
    event: { reason: "provisioned without a start" },
  });
  if (engine === null) throw new ApiError("OPERATION_IN_PROGRESS", OVERTAKEN);
  await settleStorage(host, engine);
  return engine;
}

const sharedFailure = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError("BACKEND_ERROR", "the engine failed to boot in a concurrent provision", { cause: error });

async function settleStorage(host: Pick<HostContext, "backend" | "logger">, engine: EngineRow): Promise<void> {
  try {
    await host.backend.storage.settle(engine);
  } catch (error) {
    // Only the undo of a failed provision reads the marker.
    host.logger.warn({ err: error, engine_id: engine.id }, "failed to remove the marker of a restored folder");
  }
}

/** Null where engines listen on no ports of this host. */
async function reservePort(trx: Trx, engineId: string, range: PortRange): Promise<number | null> {
  if (!range.isUsed) return null;
  const port = await takePort(trx, engineId, range);
  if (port !== null) return port;
  const waitS = (await soonestPort(trx, range)) ?? FULL_RETRY_S;
  throw new ApiError("PORT_EXHAUSTION", `no free port from ${range.min} to ${range.max}`, {
    retryAfterS: Math.ceil(waitS) + 1,
  });
}

/**
 * Reserves an engine in one transaction under the product's lock: policy, quota, port, row and event. A concurrent
 * provision sees the result. I2 commit before spawn: the row exists before the process.
 */
async function reserve(
  host: EngineHost,
  product: Product,
  {
    identity,
    request,
    apiKey,
    action,
  }: { identity: ProvisionedIncarnation; request: ProvisionRequest; apiKey: string; action: PolicyAction },
): Promise<EngineRow> {
  const productId = product.record.id;
  let isCommitting = false;
  const reserveNow = () =>
    host.db.transaction().execute(async (trx) => {
      const locked = await lockPolicy(trx, productId);
      if (locked === null) throw new ApiError("PRODUCT_NOT_FOUND", "the product has been deleted");
      const { policy, isBeingDeleted } = locked;
      if (isBeingDeleted) throw new ApiError("POLICY_DENIED", "the product is being deleted");
      if ((await findEngine(trx, productId, request.user_id)) !== null) {
        throw new ApiError(
          "ENGINE_ALREADY_EXISTS",
          "an engine for this user_id exists; POST /engines/admit returns it",
        );
      }
      if (request.plan !== undefined && !(await holdPlan(trx, productId, request.plan))) unknownPlan(request.plan);
      const engines = await countEngines(trx, productId);
      if (!fitsQuota(policy, engines)) {
        throw new ApiError("QUOTA_EXCEEDED", `the product has ${engines} of ${policy.max_engines ?? 0} engines`);
      }
      const port = await reservePort(trx, identity.id, host.settings.portRange);
      const engine = await insertEngine(trx, {
        id: identity.id,
        productId,
        userId: request.user_id,
        hostId: host.settings.portRange.hostId,
        port,
        incarnation: identity.incarnation,
        key: storedKey(apiKey),
        metadata: request.metadata ?? {},
        plan: request.plan ?? null,
        desiredState: (request.start ?? true) ? "running" : "stopped",
        deadlineAt: new Date(host.now() + RESERVATION_MS + host.settings.bootTimeoutMs),
      });
      await host.events.insert(trx, { type: "engine.provisioned", engine, reason: action, data: { port } });
      isCommitting = true;
      return engine;
    });
  try {
    // Concurrent provisions of a product wait here. In the database each would hold a connection of the pool.
    return await host.lanes.run(`reserve ${productId}`, reserveNow);
  } catch (error) {
    // A failure before the commit leaves nothing. The result of the commit itself may have been lost.
    if (isCommitting)
      inBackground(
        "undo of a reservation",
        host.transitions.own(identity.id, () => undoReservation(host, identity)),
      );
    throw error;
  }
}
