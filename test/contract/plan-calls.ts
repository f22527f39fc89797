import type { RouteName } from "../../src/contract/orchestrator/routes.ts";
import type { Route } from "../../src/contract/orchestrator/routes/route-row.ts";
import type { ContractCaller } from "./contract-caller.ts";

/** Calls every route of plans, for the engine of alice and the product `demo`. */
export async function callPlans(caller: ContractCaller<RouteName, Route>): Promise<void> {
  const call = caller.call.bind(caller);
  const pro = { product_id: "demo", plan: "pro" };
  const basic = { ...pro, plan: "basic" };
  const alice = { product_id: "demo", user_id: "alice" };
  const policy = { memory_mb: 2048, user_requests_per_minute: null, budgets: { engine: { tokens_per_day: 1000 } } };
  await call("setPlan", { path: pro, body: { policy }, expect: 200 });
  await call("setPlan", { path: basic, body: { policy: {} }, expect: 200 });
  for (const bad of [
    {},
    { policy: { max_engines: 3 } },
    { policy: { memory_mb: 1 } },
    { policy: { budgets: { product: {} } } },
    { policy: { budgets: { engine: { tokens_per_year: 1 } } } },
    { policy, name: "pro" },
  ])
    await call("setPlan", { path: pro, body: bad, expect: "INVALID_REQUEST" });
  await call("setPlan", { path: { ...pro, plan: "Pro!" }, body: { policy }, expect: "INVALID_REQUEST" });
  await call("listPlans", { path: pro, expect: 200 });
  await call("showPlan", { path: pro, expect: 200 });
  await call("showPlan", { path: { ...pro, plan: "gold" }, expect: "PLAN_NOT_FOUND" });
  await call("provisionEngine", { body: { user_id: "erin", plan: "gold" }, expect: "INVALID_REQUEST" });
  await call("changeEngine", { path: alice, body: { plan: "pro", metadata: { team: "blue" } }, expect: 200 });
  await call("changeEngine", { path: alice, body: { plan: "gold" }, expect: "INVALID_REQUEST" });
  await call("changeEngine", { path: { user_id: "nobody" }, body: { plan: "pro" }, expect: "ENGINE_NOT_FOUND" });
  await call("enginePolicy", { path: alice, expect: 200 });
  await call("enginePolicy", { path: { user_id: "nobody" }, expect: "ENGINE_NOT_FOUND" });
  await call("setEnginePolicy", { path: alice, body: { policy }, expect: 200 });
  await call("setEnginePolicy", { path: alice, body: { policy: { suspended: true } }, expect: "INVALID_REQUEST" });
  const nobody = { ...alice, user_id: "nobody" };
  await call("setEnginePolicy", { path: nobody, body: { policy }, expect: "ENGINE_NOT_FOUND" });
  await call("deletePlan", { path: pro, expect: "PLAN_IN_USE" });
  await call("deletePlan", { path: pro, query: "?replace_by=gold", expect: "INVALID_REQUEST" });
  await call("deletePlan", { path: pro, query: "?replace_by=basic", expect: 200 });
  await call("deletePlan", { path: pro, expect: "PLAN_NOT_FOUND" });
  for (const name of ["listPlans", "showPlan", "setPlan", "deletePlan"] as const)
    await call(name, {
      path: { ...basic, product_id: "nowhere" },
      ...(name === "setPlan" && { body: { policy } }),
      expect: "PRODUCT_NOT_FOUND",
    });
  const nowhere = { ...alice, product_id: "nowhere" };
  await call("setEnginePolicy", { path: nowhere, body: { policy }, expect: "PRODUCT_NOT_FOUND" });
}
