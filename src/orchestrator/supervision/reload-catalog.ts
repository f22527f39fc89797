import PQueue from "p-queue";
import type { CatalogRollout } from "../../contract/catalog-records.ts";
import { delay } from "../../shared/clock.ts";
import { setEngineCatalog } from "../fleet/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { HostContext } from "../host-context.ts";
import type { CurrentCatalog } from "../store/products.ts";
import { prepareCatalog } from "./prepare-catalog.ts";

/** Reloads at once: each keeps a processor busy for some milliseconds. */
const MAX_RELOADS = 16;
/** How long a push waits for its engines. */
const ROLLOUT_MS = 20_000;
const MAX_NAMED = 20;
/** A version that an engine has refused or not answered is tried again after this time. */
const RETRY_MS = 60_000;

type Host = Pick<HostContext, "db" | "backend" | "box" | "directory" | "lanes" | "live" | "metrics" | "now" | "logger">;

/**
 * Lets an engine use the current version of its product's catalog, unless it does. A version that failed is tried again
 * later. Never rejects: `live.catalog` tells the outcome.
 */
export function reloadCatalog(host: Host, live: LiveEngine): Promise<void> {
  // In order, so that an earlier version does not replace a later one.
  return host.lanes.run(`catalog ${live.id}`, async () => {
    const wanted = await host.directory.catalogOf(live.productId).catch(() => null);
    if (wanted === null || !isDue(live, wanted, host.now())) return;
    const error = await reload(host, live, wanted);
    const { version } = live.catalog;
    live.catalog = {
      version: error === null ? wanted.version : version,
      error,
      tried: { version: wanted.version, at: host.now() },
    };
  });
}

function isDue({ catalog: { version, error, tried } }: LiveEngine, wanted: CurrentCatalog, now: number): boolean {
  if (error === null) return version !== wanted.version;
  return tried.version !== wanted.version || now - tried.at >= RETRY_MS;
}

/** Why the engine does not use the version, or null. */
async function reload(host: Host, live: LiveEngine, wanted: CurrentCatalog): Promise<string | null> {
  const fields = { engine_id: live.id, version: wanted.version };
  try {
    await prepareCatalog(host, live.productId, wanted);
  } catch (error) {
    host.logger.error({ ...fields, err: error }, "failed to prepare a product's catalog");
    host.metrics.catalogReloads.inc({ outcome: "failed" });
    return "the files of the version cannot be prepared on the host";
  }
  const outcome = await setEngineCatalog({ url: live.url, token: live.controlToken }, { ...wanted });
  host.metrics.catalogReloads.inc({ outcome: outcome.kind === "ok" ? "reloaded" : outcome.kind });
  if (outcome.kind !== "ok") {
    host.logger.warn({ ...fields, reason: outcome.reason }, "engine does not use its product's catalog");
    return outcome.reason;
  }
  // For a restart without the database.
  live.order = { ...live.order, catalog: { productId: live.productId, ...wanted } };
  return null;
}

/** Lets the product's running engines on this host use its current version. What is not done in time goes on. */
export async function rollOutCatalog(host: Host, productId: string): Promise<CatalogRollout> {
  const engines = host.live.all().filter((live) => live.productId === productId && live.fallingAsleep === null);
  const queue = new PQueue({ concurrency: MAX_RELOADS });
  const pending = new Set(engines);
  const done = engines.map((live) =>
    queue.add(async () => {
      await reloadCatalog(host, live);
      pending.delete(live);
    }),
  );
  const deadline = new AbortController();
  await Promise.race([Promise.all(done), delay(ROLLOUT_MS, deadline.signal)]);
  deadline.abort();
  const reasonOf = (live: LiveEngine) => (pending.has(live) ? "it has not answered yet" : live.catalog.error);
  const failed = engines.flatMap((live) => {
    const reason = reasonOf(live);
    // One that has ended meanwhile uses the version from its next start.
    return reason === null || host.live.get(live.id) !== live ? [] : [{ user_id: live.order.launch.user_id, reason }];
  });
  return { running: engines.length, reloaded: engines.length - failed.length, failed: failed.slice(0, MAX_NAMED) };
}
