import type { HeldEnginePolicy, Plan } from "../../contract/orchestrator/plan.ts";
import { ApiError } from "../api-error.ts";
import type { HostContext } from "../host-context.ts";
import { heldFields, layersOf, originsOf, policyOfEngine } from "../store/planned-policy.ts";
import { type PlanRow, findPlan, listPlans } from "../store/plans.ts";
import { type Product, findProduct } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { getEngineRow } from "./look-up-engine.ts";
import { productNotFound } from "./look-up-product.ts";

type Host = Pick<HostContext, "db">;

export async function lookUpPlans(host: Host, idOrSlug: string): Promise<readonly Plan[]> {
  const { record } = (await findProduct(host.db, idOrSlug)) ?? productNotFound(idOrSlug);
  return (await listPlans(host.db, record.id)).map(planRecord);
}

export async function lookUpPlan(host: Host, idOrSlug: string, name: string): Promise<Plan> {
  const { record } = (await findProduct(host.db, idOrSlug)) ?? productNotFound(idOrSlug);
  return planRecord((await findPlan(host.db, record.id, name)) ?? planNotFound(name));
}

export function planNotFound(name: string): never {
  throw new ApiError("PLAN_NOT_FOUND", `the product has no plan ${name.slice(0, 80)}`);
}

/** What holds for a user's engine now. Its process has fields that take effect at the next start as of its last one. */
export const lookUpHeldPolicy = async (host: Host, product: Product, userId: string): Promise<HeldEnginePolicy> =>
  heldPolicyOf(product, await getEngineRow(host, product, userId));

export function heldPolicyOf(product: Product, row: EngineRow): HeldEnginePolicy {
  const layers = layersOf(row);
  return {
    plan: layers.plan,
    own: layers.own,
    policy: heldFields(policyOfEngine(product, layers)),
    from: originsOf(product, layers),
  };
}

const planRecord = ({ created_at: created, updated_at: updated, ...plan }: PlanRow): Plan => ({
  ...plan,
  created_at: created.toISOString(),
  updated_at: updated.toISOString(),
});
