import { POLICY_FIELDS, type PolicyFieldName } from "./policy-fields.ts";
import type { PolicyTypeOf } from "./policy-value.ts";

export type { ToolNetworkPolicy } from "./policy-value.ts";

/** A product's policy as it is stored and shown, without `engine_env`. */
export type Policy = {
  readonly [Name in PolicyFieldName]: PolicyTypeOf<(typeof POLICY_FIELDS)[Name]["value"]>;
};

export const POLICY_ACTIONS = POLICY_FIELDS.allowed_actions.value.values;
export type PolicyAction = Policy["allowed_actions"][number];

/** What a suspension does to running turns: lets them end, or cancels them. */
export const SUSPENSIONS = POLICY_FIELDS.suspend.value.values;
export type Suspension = Policy["suspend"];

/** Null unless the product is suspended. */
export const suspensionOf = ({ suspended, suspend }: Pick<Policy, "suspended" | "suspend">): Suspension | null =>
  suspended ? suspend : null;

const FIELDS = POLICY_FIELDS satisfies { readonly [Name in PolicyFieldName]: { readonly default: Policy[Name] } };

export const DEFAULT_POLICY = Object.fromEntries(
  Object.entries(FIELDS).map(([name, field]) => [name, field.default]),
) as unknown as Policy;
