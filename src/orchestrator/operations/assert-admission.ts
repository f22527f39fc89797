import { ApiError } from "../api-error.ts";
import { denialReason, suspensionDenial } from "../rules/admission.ts";
import type { HostContext } from "../host-context.ts";
import type { PolicyAction } from "../../contract/orchestrator/requests.ts";
import type { Product } from "../store/products.ts";

const RETRY_AFTER_S = 30;

/** Throws while the host is draining or has no room for another engine. */
export async function assertCapacity(host: Pick<HostContext, "readiness" | "backend">): Promise<void> {
  host.readiness.assertAdmits();
  const reason = await host.backend.capacityProblem("new");
  if (reason !== null) throw new ApiError("CAPACITY_EXHAUSTED", reason, { retryAfterS: RETRY_AFTER_S });
}

/** Throws POLICY_DENIED when the product's policy forbids the action. */
export function assertAllowed(product: Product, action: PolicyAction): void {
  const reason = denialReason(product.record.policy, action);
  if (reason !== null) throw new ApiError("POLICY_DENIED", reason);
}

/** Throws POLICY_DENIED when the product is suspended. */
export function assertNotSuspended({ record: { policy } }: Product): void {
  const reason = suspensionDenial(policy);
  if (reason !== null) throw new ApiError("POLICY_DENIED", reason);
}
