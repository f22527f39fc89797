import type { EngineRecord } from "../../contract/orchestrator/requests.ts";
import type { PolicyLayer } from "../../contract/orchestrator/engine-policy.ts";
import type { EngineChange, HeldEnginePolicy } from "../../contract/orchestrator/plan.ts";
import type { EngineHost } from "../host-context.ts";
import { engineRecord } from "../status/engine-record.ts";
import { heldPolicyOf } from "../status/look-up-plan.ts";
import { engineNotFound } from "../status/look-up-engine.ts";
import { productNotFound } from "../status/look-up-product.ts";
import { appendAudit } from "../store/audit-log.ts";
import { countUnbound, forgetNotices } from "../store/budgets.ts";
import type { Trx } from "../store/database.ts";
import { type EngineChanges, changeEngineRow, holdPlan, lockEngine } from "../store/plans.ts";
import { type Product, findProduct } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { planSettled } from "../supervision/follow-plans.ts";
import { assertNotSuspended } from "./assert-admission.ts";
import { assertPlan, unknownPlan } from "./assert-plan.ts";
import { collectUserUsage } from "./collect-user-usage.ts";

/** Changes what the product decides about an engine: its plan, its metadata. Tested in test/end-to-end/plans.test.ts. */
export async function changeEngine(
  host: EngineHost,
  product: Product,
  { userId, change: { plan, metadata } }: { readonly userId: string; readonly change: EngineChange },
): Promise<EngineRecord> {
  assertNotSuspended(product);
  assertPlan(product, plan);
  const after = await changeRow(host, product, userId, async (trx, before) => {
    const isMoved = plan !== undefined && plan !== before.plan;
    if (isMoved && plan !== null && !(await holdPlan(trx, before.product_id, plan))) unknownPlan(plan);
    return {
      changes: { ...(isMoved && { plan }), ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }) },
      ...(isMoved && { event: { type: "engine.plan_changed", data: { from: before.plan, to: plan } } }),
    };
  });
  return engineRecord(host, after);
}

/** Replaces what an operator sets for one engine alone. */
export async function setEnginePolicy(
  host: EngineHost,
  idOrSlug: string,
  { userId, policy }: { readonly userId: string; readonly policy: PolicyLayer },
): Promise<HeldEnginePolicy> {
  const product = (await findProduct(host.db, idOrSlug)) ?? productNotFound(idOrSlug);
  const after = await changeRow(host, product, userId, () =>
    Promise.resolve({
      changes: { own_policy: JSON.stringify(policy) },
      event: { type: "engine.policy_changed", data: { policy } },
    }),
  );
  return heldPolicyOf(product, after);
}

interface RowChange {
  readonly changes: EngineChanges;
  /** Of a change of what holds for the engine. */
  readonly event?: {
    readonly type: "engine.plan_changed" | "engine.policy_changed";
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** Changes an engine's row under its lock, and tells its process. Spent stays spent: budgets count from their period's begin. */
async function changeRow(
  host: EngineHost,
  product: Product,
  userId: string,
  decide: (trx: Trx, before: EngineRow) => Promise<RowChange>,
): Promise<EngineRow> {
  await collectUserUsage(host, product, userId);
  const productId = product.record.id;
  const prices = host.prices.table?.prices ?? [];
  const after = await host.db.transaction().execute(async (trx) => {
    const before = (await lockEngine(trx, productId, userId)) ?? engineNotFound();
    const { changes, event } = await decide(trx, before);
    if (Object.keys(changes).length === 0) return before;
    const changed = await changeEngineRow(trx, before.id, changes);
    if (event === undefined) return changed;
    await forgetNotices(trx, productId, [userId]);
    await countUnbound(trx, { productId, userId, prices });
    await appendAudit(trx, { action: event.type, product_id: productId, engine_id: changed.id, detail: event.data });
    await host.events.insert(trx, { type: event.type, engine: changed, reason: "request", data: event.data });
    return changed;
  });
  await planSettled(host, [after]);
  return after;
}
