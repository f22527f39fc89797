import * as z from "zod/mini";
import { integer } from "../../shared/parse.ts";
import { BUDGET_MEANINGS as MEANINGS } from "./budgets.ts";
import { endUsersPatch, endUsersShown } from "./end-users-schemas.ts";
import { ENGINE_POLICY_FIELDS, type EnginePolicyField } from "./engine-policy.ts";
import { engineEnvProblems } from "../engine/environment.ts";
import { modelName, modelPattern } from "../engine/model-schemas.ts";
import { agentPattern } from "../engine/allowed-use.ts";
import { toolPattern } from "../engine/tool-pattern.ts";
import { hostPattern } from "./host-pattern-schema.ts";
import { withoutLinks } from "../meaning.ts";
import type { Policy } from "./policy.ts";
import { money } from "./price-table.ts";
import { POLICY_FIELDS, type PolicyFieldName } from "./policy-fields.ts";
import type { ListedKind, PolicyValue } from "./policy-value.ts";
import { field, record } from "../record.ts";
import { count, text } from "../response-schemas.ts";
import { toolHookPatch, toolHookShown } from "./tool-hook-schemas.ts";
import { isProductSetting, productSettingNames } from "../settings/settings.ts";

const MAX_TOKENS = 1_000_000_000_000;
const patchedLimits = z.strictObject({
  tokens_per_day: field(z.optional(integer(0, MAX_TOKENS)), MEANINGS.tokens_per_day),
  tokens_per_month: field(z.optional(integer(0, MAX_TOKENS)), MEANINGS.tokens_per_month),
  cost_per_day: field(z.optional(money()), MEANINGS.cost_per_day),
  cost_per_month: field(z.optional(money()), MEANINGS.cost_per_month),
});
const SHARE = "expected a number above 0 and at most 1";
const share = z.number(SHARE).check(z.refine((value) => value > 0 && value <= 1, { error: SHARE }));

/** The budgets of a policy patch. They are replaced as a whole: an omitted budget is removed. */
const budgetsPatch = z.strictObject({
  engine: field(z._default(patchedLimits, {}), MEANINGS.engine),
  product: field(z._default(patchedLimits, {}), MEANINGS.product),
  warn_at: field(z._default(share, 0.8), MEANINGS.warn_at),
});

const ORIGIN = "expected an exact origin such as https://app.example.com, without a path; * is not possible";
const originOf = z
  .string(ORIGIN)
  .check(
    z.refine((text) => text !== "null" && URL.parse(text)?.origin === text && /^https?:/.test(text), { error: ORIGIN }),
  );
const LISTED: Readonly<Record<ListedKind, z.ZodMiniType>> = {
  hosts: hostPattern,
  origins: originOf,
  agents: agentPattern,
  tools: toolPattern,
};

/** The values that a policy accepts. */
function accepted(value: PolicyValue): z.ZodMiniType {
  switch (value.kind) {
    case "integer": {
      const bounded = integer(value.min, value.max);
      return value.isNullable ? z.nullable(bounded) : bounded;
    }
    case "switch":
      return z.boolean();
    case "choice":
      return z.enum(value.values);
    case "choices":
      return z.array(z.enum(value.values));
    case "network": {
      const { minHosts, maxHosts } = value;
      const hosts = z.array(hostPattern).check(z.minLength(minHosts), z.maxLength(maxHosts));
      const expected = `expected "open", "none" or a list of ${minHosts} to ${maxHosts} hosts`;
      return z.union([z.enum(["open", "none"]), hosts], expected);
    }
    case "list": {
      const listed = z.array(LISTED[value.of]).check(z.maxLength(value.max));
      return value.isNullable ? z.nullable(listed) : listed;
    }
    case "ports":
      return z.array(integer(value.min, value.max)).check(z.maxLength(value.maxPorts));
    case "models": {
      const models = z.array(value.isNullable ? modelPattern : modelName).check(z.maxLength(value.maxModels));
      return value.isNullable ? z.nullable(models) : models;
    }
    case "budgets":
      return budgetsPatch;
    case "end_users":
      return endUsersPatch;
    case "tool_hook":
      return toolHookPatch;
    default:
      return value satisfies never;
  }
}

/** The values of a shown policy. It may have been stored by a release with other bounds. */
function shown(value: PolicyValue): z.ZodMiniType {
  switch (value.kind) {
    case "integer":
      return value.isNullable ? z.nullable(count) : count;
    case "network":
      return z.union([z.enum(["open", "none"]), z.array(text)]);
    case "ports":
      return z.array(count);
    case "list":
    case "models":
      return value.isNullable ? z.nullable(z.array(text)) : z.array(text);
    case "end_users":
      return endUsersShown;
    case "tool_hook":
      return toolHookShown;
    case "budgets":
      return z.object({
        engine: field(budgetLimits, MEANINGS.engine),
        product: field(budgetLimits, MEANINGS.product),
        warn_at: field(z.number(), MEANINGS.warn_at),
      });
    case "switch":
    case "choice":
    case "choices":
      return accepted(value);
    default:
      return value satisfies never;
  }
}

const units = z.optional(z.number().check(z.gte(0)));
const budgetLimits = z.object({
  tokens_per_day: field(z.optional(count), MEANINGS.tokens_per_day),
  tokens_per_month: field(z.optional(count), MEANINGS.tokens_per_month),
  cost_per_day: field(units, MEANINGS.cost_per_day),
  cost_per_month: field(units, MEANINGS.cost_per_month),
});

const shapeOf = (schemaOf: (value: PolicyValue) => z.ZodMiniType): Readonly<Record<PolicyFieldName, z.ZodMiniType>> =>
  Object.fromEntries(
    Object.entries(POLICY_FIELDS).map(([name, { value, meaning }]) => [
      name,
      schemaOf(value).check(z.describe(withoutLinks(meaning))),
    ]),
  ) as Record<PolicyFieldName, z.ZodMiniType>;

export const policyRecord = record(
  "Policy",
  "What a product's engines may do and use.",
  shapeOf(shown) as { readonly [Name in PolicyFieldName]: z.ZodMiniType<Policy[Name]> },
);

/** A product's settings for its engines. `null` removes one. Checked, so that a typo does not fail the next start of an engine. */
const engineEnv = z
  .record(
    z.string().check(z.refine(isProductSetting, { error: `expected a name of ${productSettingNames()}` })),
    z.nullable(z.string().check(z.maxLength(4096))),
  )
  .check(
    z.check(({ value, issues }) => {
      for (const { name, problem } of engineEnvProblems(value))
        issues.push({ code: "custom", path: [name], message: problem, input: value[name] });
    }),
    z.describe("Settings for this product's engines. `null` removes one."),
  );

const patchShape = Object.fromEntries(
  Object.entries(shapeOf(accepted)).map(([name, schema]) => [name, z.optional(schema)]),
) as { readonly [Name in PolicyFieldName]: z.ZodMiniOptional<z.ZodMiniType<Policy[Name]>> };

/** Strict: a typo in a policy must not be ignored. Missing fields keep their value. */
export const policyPatch = z.strictObject({ ...patchShape, engine_env: z.optional(engineEnv) });
export type PolicyPatch = z.output<typeof policyPatch>;

const ofEngines = <Schema>(shape: Readonly<Record<PolicyFieldName, Schema>>) =>
  Object.fromEntries(ENGINE_POLICY_FIELDS.map((name) => [name, shape[name]])) as Record<EnginePolicyField, Schema>;
const optionalOf = (shape: Readonly<Record<EnginePolicyField, z.ZodMiniType>>) =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, z.optional(schema)])) as {
    readonly [Name in Exclude<EnginePolicyField, "budgets">]: z.ZodMiniOptional<z.ZodMiniType<Policy[Name]>>;
  };

/** What plans and engines set. Strict like a policy. A field left out is decided by the layer below. */
export const enginePolicyPatch = z.strictObject({
  ...optionalOf(ofEngines(shapeOf(accepted))),
  budgets: field(
    z.optional(
      z.strictObject({
        engine: field(z._default(patchedLimits, {}), MEANINGS.engine),
        warn_at: field(z.optional(share), MEANINGS.warn_at),
      }),
    ),
    "What each engine may spend. A limit left out is no limit. What all engines spend together is the product's policy.",
  ),
});

/** What a plan or an engine sets, as it is shown. */
export const enginePolicyShown = z.object({
  ...optionalOf(ofEngines(shapeOf(shown))),
  budgets: field(
    z.optional(
      z.object({
        engine: field(budgetLimits, MEANINGS.engine),
        warn_at: field(z.optional(z.number()), MEANINGS.warn_at),
      }),
    ),
    "What each engine may spend.",
  ),
});

/** The fields of a policy in which engines may differ, with what holds for one engine. */
export const heldPolicy = record(
  "HeldPolicy",
  "What one engine may do and use.",
  ofEngines(shapeOf(shown)) as { readonly [Name in EnginePolicyField]: z.ZodMiniType<Policy[Name]> },
);
