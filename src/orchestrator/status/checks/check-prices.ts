import type { HostCheck } from "../../../contract/orchestrator/host.ts";
import { warned } from "../../../contract/orchestrator/host-check.ts";
import type { HostContext } from "../../host-context.ts";
import { productsWithCostBudgets } from "../../store/budgets.ts";

const MOST_NAMED = 5;

/** Checks that budgets in money have a price table. No check where there is one, or where none needs it. */
export async function checkPrices({ db, prices }: Pick<HostContext, "db" | "prices">): Promise<readonly HostCheck[]> {
  if (prices.table !== null) return [];
  const slugs = await productsWithCostBudgets(db);
  if (slugs.length === 0) return [];
  const named = slugs.slice(0, MOST_NAMED).join(", ");
  const more = slugs.length > MOST_NAMED ? ` and ${slugs.length - MOST_NAMED} more` : "";
  return [
    warned(
      "prices",
      `there is no price table, so budgets in money refuse model calls of ${named}${more}`,
      "set ORCH_PRICES and restart the daemon, or limit tokens instead of costs",
    ),
  ];
}
