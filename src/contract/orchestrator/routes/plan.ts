import { engineChange, enginePolicyRequest, planRequest } from "../plan.ts";
import { ok } from "../../route-table.ts";
import { LARGE_BODY_BYTES, type Route, admin, platform } from "./route-row.ts";

const ONE = "/products/{product_id}/plans/{plan}";

/** Plans of a product, and which an engine has. Operators say what a plan permits; the product says who has it. */
export const PLAN_ROUTES = {
  listPlans: admin("GET /products/{product_id}/plans", "List the [plans](plans.md) of a product", {
    role: "viewer",
    clientMethod: "listPlans",
    responses: ok("PlanList"),
    errors: ["PRODUCT_NOT_FOUND"],
  }),
  showPlan: admin(`GET ${ONE}`, "Get a plan", {
    role: "viewer",
    clientMethod: "getPlan",
    responses: ok("Plan"),
    errors: ["PRODUCT_NOT_FOUND", "PLAN_NOT_FOUND"],
  }),
  setPlan: admin(`PUT ${ONE}`, "Create a plan, or replace what it sets", {
    role: "admin",
    request: planRequest,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: ok("Plan"),
    errors: ["PRODUCT_NOT_FOUND", "QUOTA_EXCEEDED"],
  }),
  deletePlan: admin(`DELETE ${ONE}`, "Delete a plan that no engine has", {
    role: "admin",
    clientMethod: "deletePlan",
    query: { replace_by: { kind: "text", maxLength: 63, summary: "The plan that its engines get" } },
    responses: ok("PlanDeleted"),
    errors: ["PRODUCT_NOT_FOUND", "PLAN_NOT_FOUND", "PLAN_IN_USE"],
  }),
  setEnginePolicy: admin(
    "PUT /products/{product_id}/engines/{user_id}/policy",
    "Replace what is set for one engine alone, before its plan",
    {
      role: "admin",
      request: enginePolicyRequest,
      maxBodyBytes: LARGE_BODY_BYTES,
      responses: ok("EnginePolicy"),
      errors: ["PRODUCT_NOT_FOUND", "ENGINE_NOT_FOUND"],
    },
  ),
  changeEngine: platform("PATCH /engines/{user_id}", "Change an engine's [plan](plans.md) or metadata", {
    role: "operator",
    clientMethod: "changeEngine",
    request: engineChange,
    maxBodyBytes: LARGE_BODY_BYTES,
    responses: ok("EngineRecord"),
    errors: ["POLICY_DENIED", "ENGINE_NOT_FOUND"],
  }),
  enginePolicy: platform(
    "GET /engines/{user_id}/policy",
    "Get what holds for an engine, and whether the engine, its plan or the product says so",
    {
      role: "viewer",
      clientMethod: "getEnginePolicy",
      responses: ok("EnginePolicy"),
      errors: ["ENGINE_NOT_FOUND"],
    },
  ),
} satisfies Record<string, Route>;
