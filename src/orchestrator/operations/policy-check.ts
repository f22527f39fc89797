import type { PolicyAction } from "../../contract/orchestrator-api.ts";
import { ApiError } from "../api-error.ts";
import { denial } from "../rules/admission.ts";
import type { Product } from "../store/products.ts";

export function assertAllowed(product: Product, action: PolicyAction): void {
  const reason = denial(product.record.policy, action);
  if (reason !== null) throw new ApiError("POLICY_DENIED", reason);
}
