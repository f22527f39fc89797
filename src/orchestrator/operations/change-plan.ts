import { type PolicyLayer, MAX_PLANS } from "../../contract/orchestrator/engine-policy.ts";
import type { Plan } from "../../contract/orchestrator/plan.ts";
import { hasCode } from "../../shared/error-code.ts";
import { InvalidInput } from "../../shared/parse.ts";
import { ApiError } from "../api-error.ts";
import type { EngineHost } from "../host-context.ts";
import { lookUpPlan, planNotFound } from "../status/look-up-plan.ts";
import { forgetNotices } from "../store/budgets.ts";
import type { Trx } from "../store/database.ts";
import { deletePlan as deleteRow, findPlan, moveEngines, putPlan } from "../store/plans.ts";
import { type Product, findProduct } from "../store/products.ts";
import type { EngineRow } from "../store/tables.ts";
import { budgetsSettled } from "../supervision/follow-budgets.ts";
import { modelsSettled } from "../supervision/follow-models.ts";
import { planSettled } from "../supervision/follow-plans.ts";
import { assertPlan } from "./assert-plan.ts";
import { changeProduct } from "./change-product.ts";

const FOREIGN_KEY_VIOLATION = "23503";

interface PlanAddress {
  /** Id or slug. */
  readonly product: string;
  readonly name: string;
}

/** Creates a plan or replaces what it sets, for its engines at once where a policy would. Tested in test/end-to-end/plans.test.ts. */
export async function setPlan(
  host: EngineHost,
  { product: idOrSlug, name }: PlanAddress,
  policy: PolicyLayer,
): Promise<Plan> {
  const changed = await changeProduct(host, idOrSlug, {
    type: "product.plan_changed",
    detail: { plan: name, policy },
    change: async (trx, { record: { id }, plans }) => {
      if (!plans.has(name) && plans.size >= MAX_PLANS)
        throw new ApiError("QUOTA_EXCEEDED", `the product has ${MAX_PLANS} plans; delete one`);
      await putPlan(trx, id, name, policy);
      return findProduct(trx, id);
    },
  });
  await modelsSettled(host, changed.id);
  await budgetsSettled(host);
  return lookUpPlan(host, changed.id, name);
}

/** Deletes a plan. Its engines get the plan `replaceBy`; without one there must be none. Returns how many have moved. */
export async function deletePlan(
  host: EngineHost,
  { product: idOrSlug, name }: PlanAddress,
  replaceBy: string | null,
): Promise<number> {
  if (replaceBy === name) throw new InvalidInput("replace_by", "expected another plan");
  const moved: EngineRow[] = [];
  const detail = { plan: name, replace_by: replaceBy, engines: 0 };
  await changeProduct(host, idOrSlug, {
    type: "product.plan_deleted",
    detail,
    change: async (trx, product) => {
      if (!product.plans.has(name)) planNotFound(name);
      assertPlan(product, replaceBy, "replace_by");
      if (replaceBy !== null) moved.push(...(await move(trx, product, { from: name, to: replaceBy })));
      detail.engines = moved.length;
      await removePlan(trx, product.record.id, name);
      return findProduct(trx, product.record.id);
    },
  });
  await planSettled(host, moved);
  return moved.length;
}

async function move(trx: Trx, { record: { id } }: Product, plans: { from: string; to: string }) {
  const rows = await moveEngines(trx, id, plans);
  await forgetNotices(
    trx,
    id,
    rows.map((row) => row.user_id),
  );
  return rows;
}

async function removePlan(trx: Trx, productId: string, name: string): Promise<void> {
  const engines = (await findPlan(trx, productId, name))?.engines ?? 0;
  if (engines > 0) throw inUse(name, `${engines} ${engines === 1 ? "engine has" : "engines have"}`);
  try {
    await deleteRow(trx, productId, name);
  } catch (error) {
    // An engine got it in this moment.
    if (hasCode(error, FOREIGN_KEY_VIOLATION)) throw inUse(name, "an engine has");
    throw error;
  }
}

const inUse = (name: string, who: string): ApiError =>
  new ApiError("PLAN_IN_USE", `${who} the plan ${name}; replace_by gives them another one`);
