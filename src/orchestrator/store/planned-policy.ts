import {
  ENGINE_POLICY_FIELDS,
  type EngineLayers,
  type PolicyLayer,
  type EnginePolicyField,
  type PolicyOrigin,
} from "../../contract/orchestrator/engine-policy.ts";
import { isDeepStrictEqual } from "node:util";
import { DEFAULT_POLICY, type Policy } from "../../contract/orchestrator/policy.ts";
import type { Product } from "./products.ts";
import type { EngineRow } from "./tables.ts";

type Layered = Pick<EngineLayers, "plan" | "own">;
type Planned = Pick<Product, "record" | "plans">;

export const layersOf = (row: Pick<EngineRow, "plan" | "own_policy" | "policy_changes">): EngineLayers => ({
  plan: row.plan,
  own: row.own_policy,
  changes: row.policy_changes,
});

/** What holds for one engine: what is set for it alone, else by its plan, else by the product's policy. */
export const policyOfEngine = ({ record: { policy }, plans }: Planned, { plan, own }: Layered): Policy =>
  [planOf(plans, plan), own].reduce(withLayer, policy);

/** Where the value of each field comes from. */
export function originsOf(
  { record: { policy }, plans }: Planned,
  { plan, own }: Layered,
): Readonly<Record<EnginePolicyField, PolicyOrigin>> {
  const planned = planOf(plans, plan);
  const originOf = (name: EnginePolicyField): PolicyOrigin => {
    if (own[name] !== undefined) return "engine";
    if (planned[name] !== undefined) return "plan";
    return isDeepStrictEqual(policy[name], DEFAULT_POLICY[name]) ? "default" : "product";
  };
  return Object.fromEntries(ENGINE_POLICY_FIELDS.map((name) => [name, originOf(name)])) as Record<
    EnginePolicyField,
    PolicyOrigin
  >;
}

/** The fields in which engines may differ. */
export const heldFields = (policy: Policy): Pick<Policy, EnginePolicyField> =>
  Object.fromEntries(ENGINE_POLICY_FIELDS.map((name) => [name, policy[name]])) as unknown as Pick<
    Policy,
    EnginePolicyField
  >;

const NOTHING: PolicyLayer = {};
const planOf = (plans: Product["plans"], name: string | null): PolicyLayer =>
  name === null ? NOTHING : (plans.get(name) ?? NOTHING);

/** Of budgets a layer replaces all limits of one engine: a plan without a limit has none. Those of the product stay. */
function withLayer(policy: Policy, { budgets, ...fields }: PolicyLayer): Policy {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const warnAt = budgets?.warn_at;
  return {
    ...policy,
    ...(given as Partial<Policy>),
    ...(budgets !== undefined && {
      budgets: { ...policy.budgets, engine: budgets.engine, ...(warnAt !== undefined && { warn_at: warnAt }) },
    }),
  };
}
