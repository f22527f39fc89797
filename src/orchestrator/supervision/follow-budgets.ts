import { inBackground } from "../../shared/background.ts";
import PQueue from "p-queue";
import type { EngineHost, HostContext } from "../host-context.ts";
import { engineStatus } from "../engine-calls/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { syncBudgets } from "./sync-budgets.ts";

const LANE = "budgets";
/** Engines that are asked at a time. A sync of product budgets takes a connection to the database. */
const CONCURRENCY = 10;

/** Waits until the answering engines of this host have the current budgets. */
export const budgetsSettled = ({ lanes }: Pick<HostContext, "lanes">): Promise<void> =>
  lanes.run(LANE, () => Promise.resolve());

/** Sends an engine its budgets now. One that does not answer gets them after its next probe. */
export async function tellBudgets(host: EngineHost, live: LiveEngine): Promise<void> {
  const answer = await engineStatus({ url: live.url, token: live.controlToken });
  if (answer.kind === "ok") await syncBudgets(host, live, answer.status.budgets);
  else live.isBudgetDue = true;
}

/** Sends all engines their budgets when a policy or the price table changes, until the daemon stops. */
export function followBudgets(host: EngineHost): void {
  const known = new Map<string, string>();
  const syncAll = async () => {
    const prices = JSON.stringify(host.prices.table);
    for (const productId of new Set(host.live.all().map((live) => live.productId))) {
      const product = await host.directory.named(productId).catch(() => null);
      const planned = [...(product?.plans ?? [])].map(([name, { budgets }]) => [name, budgets]);
      const now = JSON.stringify([product?.record.policy.budgets, planned, prices]);
      if (product === null || known.get(productId) === now) continue;
      known.set(productId, now);
      const engines = host.live.all().filter((live) => live.productId === productId);
      await new PQueue({ concurrency: CONCURRENCY }).addAll(
        engines.map((live) => async () => {
          await tellBudgets(host, live);
        }),
      );
    }
  };
  // One run at a time. The next run sees a change that comes meanwhile.
  const changed = () => inBackground("budgets", host.lanes.run(LANE, syncAll));
  host.directory.onChange(changed);
  host.prices.onReload(changed);
}
