import type { EngineBudgets } from "../../contract/engine-budgets.ts";
import type { Logger } from "../../shared/logger.ts";
import type { Store } from "../store/open-store.ts";
import { UsageTable } from "../store/usage-table.ts";
import { BudgetGate, type WantedCall } from "./budget-gate.ts";
import { type SpentTokens, UsageMeter } from "./usage-meter.ts";

/** The ledger of an engine: its meter, and the gate that holds it against the budgets of the launch. */
export function openUsage({
  store,
  logger,
  budgets: given,
}: {
  readonly store: Store;
  readonly logger: Logger;
  readonly budgets: EngineBudgets | undefined;
}) {
  const table = new UsageTable(store);
  const meter = new UsageMeter({ store, table, logger });
  const budgets = new BudgetGate({ table, transaction: (work) => store.transaction(work) });
  if (given !== undefined) budgets.set(given);
  const calls = {
    admit: (call: WantedCall, signal: AbortSignal) => budgets.admit(call, signal),
    record: (call: SpentTokens) => meter.modelCall(call),
  };
  return { meter, budgets, calls };
}
