import { engineChange, enginePolicyRequest, planName, planRequest } from "../../contract/orchestrator/plan.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { EngineHost } from "../host-context.ts";
import { changeEngine, setEnginePolicy } from "../operations/change-engine.ts";
import { deletePlan, setPlan } from "../operations/change-plan.ts";
import { lookUpHeldPolicy, lookUpPlan, lookUpPlans } from "../status/look-up-plan.ts";
import { parameter } from "../../shared/http/parameters.ts";
import type { Call, Handler } from "./call.ts";
import { userParameter } from "./engine-routes.ts";

export function planRoutes(host: EngineHost) {
  return {
    listPlans: async (call) => ({ status: 200, body: { data: await lookUpPlans(host, productId(call)) } }),
    showPlan: async (call) => ({ status: 200, body: await lookUpPlan(host, productId(call), nameOf(call)) }),
    setPlan: async (call) => {
      const { policy } = call.body(planRequest);
      return { status: 200, body: await setPlan(host, address(call), policy) };
    },
    deletePlan: async (call) => {
      const moved = await deletePlan(host, address(call), parameter(call, "replace_by") ?? null);
      return { status: 200, body: { deleted: true, engines_moved: moved } };
    },
    setEnginePolicy: async (call) => {
      const { policy } = call.body(enginePolicyRequest);
      const userId = userParameter(call);
      return { status: 200, body: await setEnginePolicy(host, productId(call), { userId, policy }) };
    },
    changeEngine: async (call) => {
      const change = call.body(engineChange);
      return { status: 200, body: await changeEngine(host, call.product, { userId: userParameter(call), change }) };
    },
    enginePolicy: async (call) => ({
      status: 200,
      body: await lookUpHeldPolicy(host, call.product, userParameter(call)),
    }),
  } satisfies Record<string, Handler>;
}

const productId = (call: Call): string => call.params["product_id"] ?? "";
const address = (call: Call) => ({ product: productId(call), name: nameOf(call) });

function nameOf(call: Call): string {
  const checked = planName.safeParse(call.params["plan"]);
  if (!checked.success) throw new InvalidInput("plan", checked.error.issues[0]?.message ?? "invalid");
  return checked.data;
}
