import { ApiError } from "../api-error.ts";
import { capacityProblem, denial } from "../rules/admission.ts";
import { hostResources } from "../status/host-resources.ts";
import type { HostContext } from "../host-context.ts";
import type { PolicyAction } from "../../contract/orchestrator-api.ts";
import type { Product } from "../store/products.ts";

const RETRY_AFTER_S = 30;

/** Refuses a new engine while the host drains, or has no room: what runs already needs the rest. */
export async function assertCapacity(host: Pick<HostContext, "readiness" | "settings">): Promise<void> {
  host.readiness.assertAdmits();
  const reason = capacityProblem(await hostResources(host.settings.dataDir));
  if (reason !== null) throw new ApiError("CAPACITY_EXHAUSTED", reason, { retryAfterS: RETRY_AFTER_S });
}

export function assertAllowed(product: Product, action: PolicyAction): void {
  const reason = denial(product.record.policy, action);
  if (reason !== null) throw new ApiError("POLICY_DENIED", reason);
}
