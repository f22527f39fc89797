import PQueue from "p-queue";
import { type Suspension, suspensionOf } from "../../contract/orchestrator/policy.ts";
import { inBackground } from "../../shared/background.ts";
import { delay } from "../../shared/clock.ts";
import { sharedRuns } from "../../shared/shared-runs.ts";
import { setEngineSuspension } from "../engine-calls/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { HostContext } from "../host-context.ts";
import { retryUntilStopped } from "./retry-until-stopped.ts";
import { inSleepLane } from "./sleep-lane.ts";

type Host = Pick<HostContext, "directory" | "live" | "lanes" | "logger" | "stopping">;

/** Engines that are told at the same time. One that does not answer takes a place for two seconds. */
const CONCURRENCY = 256;
const RETRY_MS = 250;
/** How long the call that changes a policy waits for its engines. */
const SETTLE_MS = 1000;

/** Tells the running engines of their products' suspensions when a product changes, until the daemon stops. */
export function followSuspensions(host: Host): void {
  const sync = sharedRuns(() => syncChanged(host));
  host.directory.onChange(() => inBackground("suspensions", sync()));
}

/** Waits until the running engines of a product were told, at most a second. Those not reached by then are told later. */
export async function suspensionSettled(host: Host, productId: string): Promise<void> {
  const late = new AbortController();
  const engines = host.live.all().filter((live) => live.productId === productId);
  await Promise.race([syncEngines(host, engines), delay(SETTLE_MS, late.signal)]);
  late.abort();
}

/** Begins to tell the engines that know another suspension. Waits for the policies only: an engine may not answer. */
async function syncChanged(host: Host): Promise<void> {
  for (const productId of new Set(host.live.all().map((live) => live.productId))) {
    // While the database is away, one look-up at a time serves all engines.
    const wanted = await retryUntilStopped(host, "suspension", () => suspensionIn(host, productId));
    if (wanted === undefined) return;
    const outdated = host.live.all().filter((live) => live.productId === productId && live.suspensionSent !== wanted);
    inBackground("suspensions", syncEngines(host, outdated));
  }
}

async function syncEngines(host: Host, engines: readonly LiveEngine[]): Promise<void> {
  const queue = new PQueue({ concurrency: CONCURRENCY });
  await queue.addAll(engines.map((live) => () => syncSuspension(host, live)));
}

/**
 * Tells an engine whether its product is suspended, unless it knows. Resolves after the first attempt, which is repeated
 * until the engine was told or its process has ended. Never rejects.
 */
export async function syncSuspension(host: Host, live: LiveEngine): Promise<void> {
  if ((await tell(host, live)) || live.isRetryingSuspension) return;
  live.isRetryingSuspension = true;
  inBackground("suspension of an engine", retry(host, live), { engine_id: live.id });
}

async function retry(host: Host, live: LiveEngine): Promise<void> {
  while (await delay(RETRY_MS, host.stopping)) if (await tell(host, live)) break;
  live.isRetryingSuspension = false;
}

/** True when nothing is left to tell. A connection to an engine that falls asleep would wake it. */
const tell = (host: Host, live: LiveEngine): Promise<boolean> =>
  inSleepLane(host, live.id, async () => {
    if (host.live.get(live.id) !== live) return true;
    const known = live.suspensionSent;
    // The policy may change while it is read or sent, and the answer may be lost. A later change is then told again.
    live.suspensionSent = undefined;
    const wanted = await suspensionIn(host, live.productId).catch(() => undefined);
    if (wanted === undefined) return false;
    if (wanted !== known) {
      const answer = await setEngineSuspension({ url: live.url, token: live.controlToken }, wanted);
      if (answer.kind === "failed") return false;
      if (answer.kind === "unsupported" && wanted !== null)
        host.logger.warn({ engine_id: live.id }, "failed to suspend an engine of an earlier release; restart it");
    }
    live.suspensionSent = wanted;
    return true;
  });

/** Null without a suspension, and for a deleted product. Rejects while the database is unavailable. */
async function suspensionIn({ directory }: Pick<Host, "directory">, productId: string): Promise<Suspension | null> {
  const policy = await directory.policyOf(productId);
  return policy === null ? null : suspensionOf(policy);
}
