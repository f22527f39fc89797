import type { PricesRecord } from "../../contract/orchestrator/usage.ts";
import { InvalidInput } from "../../shared/parse.ts";
import type { HostContext } from "../host-context.ts";
import { appendAudit } from "../store/audit-log.ts";

const MAX_PROBLEMS = 20;

/** Reads the price table again. An invalid table changes nothing. The error names each problem with its position. */
export async function reloadPrices(host: Pick<HostContext, "db" | "prices" | "logger">): Promise<PricesRecord> {
  const outcome = host.prices.reload();
  if (outcome.kind === "invalid") {
    const { problems } = outcome;
    const more = problems.length > MAX_PROBLEMS ? [`and ${problems.length - MAX_PROBLEMS} more`] : [];
    throw new InvalidInput("ORCH_PRICES", [...problems.slice(0, MAX_PROBLEMS), ...more].join("; "));
  }
  const { currency, prices } = outcome.table;
  host.logger.info({ currency, entries: prices.length }, "reloaded the price table");
  await host.db
    .transaction()
    .execute((trx) =>
      appendAudit(trx, { action: "host.prices_reloaded", detail: { currency, entries: prices.length } }),
    );
  return { currency, entries: prices.length };
}
