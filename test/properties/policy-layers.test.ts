import { strict as assert } from "node:assert";
import fc from "fast-check";
import * as z from "zod/mini";
import { ENGINE_POLICY_FIELDS, type PolicyLayer } from "../../src/contract/orchestrator/engine-policy.ts";
import { POLICY_FIELDS } from "../../src/contract/orchestrator/policy-fields.ts";
import { DEFAULT_POLICY, type Policy } from "../../src/contract/orchestrator/policy.ts";
import { enginePolicyPatch, policyPatch, policyRecord } from "../../src/contract/orchestrator/policy-schemas.ts";
import type { PolicyValue } from "../../src/contract/orchestrator/policy-value.ts";
import { heldFields, originsOf, policyOfEngine } from "../../src/orchestrator/store/planned-policy.ts";
import { property } from "../helpers/property.ts";

const HOSTS = fc.constantFrom(
  "api.example.com",
  "*.Example.com",
  "Bücher.example:443",
  "10.1.0.0/16",
  "[2001:db8::1]:80",
);
const LISTED = {
  hosts: HOSTS,
  origins: fc.constant("https://app.example.com"),
  agents: fc.constantFrom("*", "writer", "w-*"),
  tools: fc.constantFrom("*", "read_file", "mcp_*"),
};
const amounts = fc.record(
  { tokens_per_day: fc.nat(), cost_per_month: fc.nat({ max: 10 ** 9 }).map((micros) => micros / 10 ** 6) },
  { requiredKeys: [], noNullPrototype: true },
);

/** Values that a policy accepts. Undefined of kinds that are objects of their own. */
function valueOf(value: PolicyValue): fc.Arbitrary<unknown> | undefined {
  const orNull = (given: fc.Arbitrary<unknown>) =>
    "isNullable" in value && value.isNullable ? fc.option(given) : given;
  switch (value.kind) {
    case "integer":
      return orNull(fc.integer({ min: value.min, max: Math.min(value.max ?? 2 ** 31, 2 ** 31) }));
    case "switch":
      return fc.boolean();
    case "choice":
      return fc.constantFrom(...value.values);
    case "choices":
      return fc.subarray([...value.values]);
    case "network":
      return fc.oneof(fc.constantFrom("open", "none"), fc.array(HOSTS, { minLength: value.minHosts, maxLength: 3 }));
    case "list":
      return orNull(fc.array<string>(LISTED[value.of], { maxLength: Math.min(3, value.max) }));
    case "ports":
      return fc.array(fc.integer({ min: value.min, max: value.max }), { maxLength: 3 });
    case "models":
      return orNull(fc.array(fc.constantFrom("gpt-5", "openai:a/b"), { maxLength: Math.min(3, value.maxModels) }));
    default:
      return undefined;
  }
}

const shape = Object.fromEntries(
  Object.entries(POLICY_FIELDS).flatMap(([name, { value }]) => {
    const found = valueOf(value);
    return found === undefined ? [] : [[name, found] as const];
  }),
);
const budgets = fc.record(
  { engine: amounts, product: amounts, warn_at: fc.constantFrom(0.1, 0.8, 1) },
  { noNullPrototype: true },
);
const patch = fc.record({ ...shape, budgets }, { requiredKeys: [], noNullPrototype: true });
const ofEngines = Object.entries(shape).filter(([name]) => (ENGINE_POLICY_FIELDS as readonly string[]).includes(name));
const layerPatch = fc.record(
  {
    ...Object.fromEntries(ofEngines),
    budgets: fc.record(
      { engine: amounts, warn_at: fc.constantFrom(0.5, 1) },
      { requiredKeys: ["engine"], noNullPrototype: true },
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
);

property("an accepted policy is accepted again as it is stored, unchanged, and can be shown", [patch], (given) => {
  const stored = z.parse(policyPatch, given);
  assert.deepEqual(z.parse(policyPatch, stored), stored);
  const shown = { ...DEFAULT_POLICY, ...stored };
  assert.deepEqual(z.parse(policyRecord, JSON.parse(JSON.stringify(shown))), JSON.parse(JSON.stringify(shown)));
});

const policy = patch.map((given): Policy => ({
  ...DEFAULT_POLICY,
  ...(z.parse(policyPatch, given) as Partial<Policy>),
}));
const layer = layerPatch.map((given) => z.parse(enginePolicyPatch, given) as PolicyLayer);
const held = (policy: Policy, plan: PolicyLayer | null, own: PolicyLayer) => {
  const product = { record: { policy } as never, plans: new Map(plan === null ? [] : [["pro", plan]]) };
  const layers = { plan: plan === null ? null : "pro", own };
  return { policy: policyOfEngine(product, layers), from: originsOf(product, layers) };
};

property(
  "what holds for an engine is of the first layer that sets it, and of nothing else",
  [policy, layer, layer],
  (policy, plan, own) => {
    const { policy: found, from } = held(policy, plan, own);
    for (const name of ENGINE_POLICY_FIELDS) {
      const layers = { engine: own, plan, product: policy, default: DEFAULT_POLICY } as const;
      if (name === "budgets") {
        const of = (own.budgets ?? plan.budgets ?? policy.budgets).engine;
        assert.deepEqual(found.budgets.engine, of, "limits are not mixed");
        assert.deepEqual(
          found.budgets.product,
          policy.budgets.product,
          "what all engines spend is the product's alone",
        );
      } else assert.deepEqual(found[name], layers[from[name]][name], name);
    }
    const changed = Object.keys(found).filter((name) => found[name as keyof Policy] !== policy[name as keyof Policy]);
    assert.deepEqual(
      changed.filter((name) => !(name in own) && !(name in plan)),
      [],
    );
  },
);

property("a layer applied twice is applied once, and an empty one is none", [policy, layer], (policy, layer) => {
  const once = held(policy, null, layer).policy;
  assert.deepEqual(held(once, null, layer).policy, once);
  assert.deepEqual(held(policy, layer, layer).policy, once);
  assert.deepEqual(held(policy, layer, {}).policy, once);
  assert.deepEqual(held(policy, {}, {}).policy, policy);
  assert.deepEqual(Object.keys(heldFields(once)), [...ENGINE_POLICY_FIELDS]);
});
