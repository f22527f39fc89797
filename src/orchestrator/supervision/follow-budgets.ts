import { inBackground } from "../../shared/background.ts";
import PQueue from "p-queue";
import type { EngineHost, HostContext } from "../host-context.ts";
import { engineStatus } from "../engine-calls/engine-control.ts";
import { syncBudgets } from "./sync-budgets.ts";

const LANE = "budgets";
/** Engines that are asked at a time. A sync of product budgets takes a connection to the database. */
const CONCURRENCY = 10;

/** Waits until the answering engines of this host have the current budgets. */
export const budgetsSettled = ({ lanes }: Pick<HostContext, "lanes">): Promise<void> =>
  lanes.run(LANE, () => Promise.resolve());

/** Sends all engines their budgets when a policy or the price table changes, until the daemon stops. */
export function followBudgets(host: EngineHost): void {
  const known = new Map<string, string>();
  const syncAll = async () => {
    const prices = JSON.stringify(host.prices.table);
    for (const productId of new Set(host.live.all().map((live) => live.productId))) {
      const policy = await host.directory.policyOf(productId).catch(() => null);
      const now = JSON.stringify([policy?.budgets, prices]);
      if (policy === null || known.get(productId) === now) continue;
      known.set(productId, now);
      const engines = host.live.all().filter((live) => live.productId === productId);
      await new PQueue({ concurrency: CONCURRENCY }).addAll(
        engines.map((live) => async () => {
          const answer = await engineStatus({ url: live.url, token: live.controlToken });
          if (answer.kind === "ok") await syncBudgets(host, live, answer.status.budgets);
        }),
      );
    }
  };
  // One run at a time. The next run sees a change that comes meanwhile.
  const changed = () => inBackground("budgets", host.lanes.run(LANE, syncAll));
  host.directory.onChange(changed);
  host.prices.onReload(changed);
}
