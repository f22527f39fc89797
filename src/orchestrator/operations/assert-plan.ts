import { InvalidInput } from "../../shared/parse.ts";
import type { Product } from "../store/products.ts";

/** Throws `InvalidInput` when the product has no plan with this name. */
export function assertPlan({ plans }: Product, plan: string | null | undefined, field = "plan"): void {
  if (plan !== undefined && plan !== null && !plans.has(plan)) unknownPlan(plan, field);
}

export function unknownPlan(plan: string, field = "plan"): never {
  throw new InvalidInput(field, `the product has no plan ${plan}`);
}
