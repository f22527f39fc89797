import type { HostContext } from "../host-context.ts";
import { engineStatus } from "../fleet/engine-control.ts";
import { syncBudgets } from "./sync-budgets.ts";

const LANE = "budgets";

/** Waits until the answering engines of this host have the current budgets. */
export const budgetsSettled = ({ lanes }: Pick<HostContext, "lanes">): Promise<void> =>
  lanes.run(LANE, () => Promise.resolve());

/** Sends all engines their budgets when a policy or the price table changes, until the daemon stops. */
export function followBudgets(host: HostContext): void {
  const known = new Map<string, string>();
  const syncAll = async () => {
    const prices = JSON.stringify(host.prices.table);
    for (const productId of new Set(host.live.all().map((live) => live.productId))) {
      const policy = await host.directory.policyOf(productId).catch(() => null);
      const now = JSON.stringify([policy?.budgets, prices]);
      if (policy === null || known.get(productId) === now) continue;
      known.set(productId, now);
      const engines = host.live.all().filter((live) => live.productId === productId);
      await Promise.all(
        engines.map(async (live) => {
          const answer = await engineStatus({ url: live.url, token: live.controlToken });
          if (answer.kind === "ok") await syncBudgets(host, live, answer.status.budgets);
        }),
      );
    }
  };
  // One run at a time. The next run sees a change that comes meanwhile.
  const changed = () => void host.lanes.run(LANE, syncAll);
  host.directory.onChange(changed);
  host.prices.onReload(changed);
}
