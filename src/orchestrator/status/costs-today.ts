import { dayOf } from "../../contract/engine/metered-usage.ts";
import type { HostContext } from "../host-context.ts";
import type { ProductCost } from "./metrics.ts";
import { slugsOf } from "../store/products.ts";
import { queryUsage } from "../store/usage-query.ts";

/** The most products that a scrape shows. */
const MAX_PRODUCTS = 1000;

/** What products have spent on this UTC day, as far as it is collected. */
export async function costsToday(host: Pick<HostContext, "db" | "prices" | "now">): Promise<readonly ProductCost[]> {
  const today = dayOf(host.now());
  const table = host.prices.table;
  const rows = await queryUsage(host.db, {
    productId: null,
    userId: null,
    since: today,
    until: today,
    by: ["product"],
    after: null,
    limit: MAX_PRODUCTS,
    prices: table?.prices ?? [],
  });
  const slugs = await slugsOf(
    host.db,
    rows.map(({ keys: [id = ""] }) => id),
  );
  return rows.flatMap(({ keys: [id = ""], costMicros, unpricedTokens }) => {
    const product = slugs.get(id);
    return product === undefined ? [] : [{ product, currency: table?.currency ?? null, costMicros, unpricedTokens }];
  });
}
