import type { Policy, PolicyAction } from "../../contract/orchestrator-api.ts";

/** Why a product may not do this now, in words for its developers; `null` when it may. */
export function denial(policy: Policy, action: PolicyAction): string | null {
  if (policy.suspended) return "the product is suspended";
  if (!policy.allowed_actions.includes(action)) return `the product's policy does not allow ${action}`;
  return null;
}

/** Whether one more engine fits, given how many are not destroyed, those being provisioned included. */
export function fitsQuota(policy: Policy, engines: number): boolean {
  return policy.max_engines === null || engines < policy.max_engines;
}
