import { PAGE_LIMIT } from "../../contract/route-table.ts";
import { drainRequest } from "../../contract/orchestrator/requests.ts";
import { USAGE_GROUPS } from "../../contract/orchestrator/usage-groups.ts";
import { integerParameter } from "../../shared/http/parameters.ts";
import type { EngineHost } from "../host-context.ts";
import { collectUserUsage } from "../operations/collect-user-usage.ts";
import { reloadPrices } from "../operations/reload-prices.ts";
import { lookUpProduct } from "../status/look-up-product.ts";
import { pageOfUsage } from "../status/usage-pages.ts";
import type { Call, Handler } from "./call.ts";
import { userParameter } from "./engine-routes.ts";

export function usageRoutes(host: EngineHost) {
  const limitOf = (call: Call) => integerParameter(call, "limit", PAGE_LIMIT);
  return {
    listUsage: (call) =>
      call.list(async () => {
        const scope = {
          productId: call.product.record.id,
          groups: ["plan", "user", "day", "model"],
          fallback: "user",
          limit: limitOf(call),
        } as const;
        return { status: 200, body: await pageOfUsage(host, call.query, scope) };
      }),
    engineUsage: async (call) => {
      const user = userParameter(call);
      await collectUserUsage(host, call.product, user);
      const scope = {
        productId: call.product.record.id,
        groups: ["day", "model"],
        fallback: "day",
        limit: limitOf(call),
      } as const;
      return { status: 200, body: await pageOfUsage(host, { ...call.query, user_id: user }, scope) };
    },
    adminUsage: (call) =>
      call.list(async () => {
        const { product_id: product } = call.query;
        const productId = product === undefined ? null : (await lookUpProduct(host, product)).id;
        const scope = { productId, groups: USAGE_GROUPS, fallback: "product", limit: limitOf(call) } as const;
        return { status: 200, body: await pageOfUsage(host, call.query, scope) };
      }),
    reloadPrices: async (call) => {
      call.body(drainRequest);
      return { status: 200, body: await reloadPrices(host) };
    },
  } satisfies Record<string, Handler>;
}
