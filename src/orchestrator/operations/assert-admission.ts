import { ApiError } from "../api-error.ts";
import { capacityProblem, denialReason } from "../rules/admission.ts";
import { hostResources } from "../status/host-status.ts";
import type { HostContext } from "../host-context.ts";
import type { PolicyAction } from "../../contract/orchestrator-api.ts";
import type { Product } from "../store/products.ts";

const RETRY_AFTER_S = 30;

/** Throws while the host is draining or lacks disk or memory for another engine. */
export async function assertCapacity(host: Pick<HostContext, "readiness" | "settings">): Promise<void> {
  host.readiness.assertAdmits();
  const reason = capacityProblem(await hostResources(host.settings.dataDir));
  if (reason !== null) throw new ApiError("CAPACITY_EXHAUSTED", reason, { retryAfterS: RETRY_AFTER_S });
}

/** Throws POLICY_DENIED when the product's policy forbids the action. */
export function assertAllowed(product: Product, action: PolicyAction): void {
  const reason = denialReason(product.record.policy, action);
  if (reason !== null) throw new ApiError("POLICY_DENIED", reason);
}
