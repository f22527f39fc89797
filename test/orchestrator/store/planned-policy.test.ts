import t from "tap";
import { DEFAULT_POLICY } from "../../../src/contract/orchestrator/policy.ts";
import type { PolicyLayer } from "../../../src/contract/orchestrator/engine-policy.ts";
import { heldFields, originsOf, policyOfEngine } from "../../../src/orchestrator/store/planned-policy.ts";
import type { Product } from "../../../src/orchestrator/store/products.ts";

const policy = {
  ...DEFAULT_POLICY,
  memory_mb: 256,
  user_requests_per_minute: 60,
  budgets: { engine: { tokens_per_day: 10, cost_per_day: 1 }, product: { cost_per_month: 100 }, warn_at: 0.5 },
};
const productWith = (plans: Readonly<Record<string, PolicyLayer>>) =>
  ({ record: { policy }, plans: new Map(Object.entries(plans)) }) as unknown as Product;

t.test("each field is the engine's, else its plan's, else the product's", async (t) => {
  const product = productWith({ pro: { memory_mb: 512, idle_stop_s: 0 } });
  const held = policyOfEngine(product, { plan: "pro", own: { memory_mb: 1024 } });
  t.match(held, { memory_mb: 1024, idle_stop_s: 0, user_requests_per_minute: 60 });
  t.match(originsOf(product, { plan: "pro", own: { memory_mb: 1024 } }), {
    memory_mb: "engine",
    idle_stop_s: "plan",
    user_requests_per_minute: "product",
    disk_mb: "default",
  });
  t.same(policyOfEngine(product, { plan: null, own: {} }), policy);
  t.same(policyOfEngine(product, { plan: "gone", own: {} }), policy, "a plan of which this read knows nothing");
});

t.test("null is a value, and what is undefined is none", async (t) => {
  const product = productWith({ pro: { user_requests_per_minute: null, allowed_models: undefined } });
  const held = policyOfEngine(product, { plan: "pro", own: { user_requests_per_minute: undefined } });
  t.equal(held.user_requests_per_minute, null);
  t.equal(originsOf(product, { plan: "pro", own: {} }).user_requests_per_minute, "plan");
  t.equal(originsOf(product, { plan: "pro", own: {} }).allowed_models, "default");
});

t.test("a layer replaces all limits of one engine, and never those of the product", async (t) => {
  const product = productWith({
    pro: { budgets: { engine: { tokens_per_month: 5 } } },
    open: { budgets: { engine: {} } },
  });
  t.same(policyOfEngine(product, { plan: "pro", own: {} }).budgets, {
    engine: { tokens_per_month: 5 },
    product: { cost_per_month: 100 },
    warn_at: 0.5,
  });
  t.same(policyOfEngine(product, { plan: "open", own: {} }).budgets.engine, {});
  const own = { budgets: { engine: { cost_per_day: 2 }, warn_at: 0.9 } };
  t.match(policyOfEngine(product, { plan: "pro", own }).budgets, { engine: { cost_per_day: 2 }, warn_at: 0.9 });
});

t.test("what is the product's alone is no field of an engine", async (t) => {
  const names = Object.keys(heldFields(policy));
  for (const name of ["max_engines", "suspended", "end_users", "tool_hook", "private_hosts", "intercept"])
    t.notOk(names.includes(name), name);
});
