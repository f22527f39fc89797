import PQueue from "p-queue";
import type { CatalogRollout } from "../../contract/orchestrator/catalog.ts";
import { delay } from "../../shared/clock.ts";
import { setEngineCatalog } from "../engine-calls/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import type { EngineHost, HostContext } from "../host-context.ts";
import type { CurrentCatalog } from "../store/products.ts";
import { putToSleep } from "./put-to-sleep.ts";
import { prepareCatalog } from "./prepare-catalog.ts";

/** Concurrent reloads. Each takes a processor for some milliseconds. */
const MAX_RELOADS = 16;
/** How long a push waits for its engines. */
const ROLLOUT_MS = 20_000;
const MAX_NAMED = 20;
/** When a version that an engine refused is tried again. */
const RETRY_MS = 60_000;
/** When a restart is tried again that waits for the end of the engine's work. */
const RESTART_RETRY_MS = 5000;

/**
 * Makes an engine use the current version of its product's catalog. A version that failed is tried again later. Never
 * rejects: the outcome is in `live.catalog`.
 */
export function reloadCatalog(host: EngineHost, live: LiveEngine): Promise<void> {
  // In order, so that an earlier version does not replace a later one.
  return host.lanes.run(`catalog ${live.id}`, async () => {
    const wanted = await host.directory.catalogOf(live.productId).catch(() => null);
    if (wanted === null || !isDue(host, live, wanted)) return;
    const error = await reload(host, live, wanted);
    const { version } = live.catalog;
    live.catalog = {
      version: error === null ? wanted.version : version,
      error,
      tried: { version: wanted.version, at: performance.now() },
    };
  });
}

function isDue(
  { backend }: Pick<HostContext, "backend">,
  { catalog: { version, error, tried } }: LiveEngine,
  wanted: CurrentCatalog,
): boolean {
  if (error === null) return version !== wanted.version;
  const retryMs = backend.catalogs.reloads ? RETRY_MS : RESTART_RETRY_MS;
  return tried.version !== wanted.version || performance.now() - tried.at >= retryMs;
}

/** Why the engine does not use the version, or null. */
async function reload(host: EngineHost, live: LiveEngine, wanted: CurrentCatalog): Promise<string | null> {
  const fields = { engine_id: live.id, version: wanted.version };
  try {
    await prepareCatalog(host, live.productId, wanted);
  } catch (error) {
    host.logger.error({ ...fields, err: error }, "failed to prepare a product's catalog");
    host.metrics.catalogReloads.inc({ outcome: "failed" });
    return "the files of the version cannot be prepared on the host";
  }
  if (!mayHaveFiles(host, live, wanted)) return restart(host, live);
  const outcome = await setEngineCatalog({ url: live.url, token: live.controlToken }, { ...wanted });
  if (outcome.kind !== "ok" && !host.backend.catalogs.reloads) return restart(host, live);
  host.metrics.catalogReloads.inc({ outcome: outcome.kind === "ok" ? "reloaded" : outcome.kind });
  if (outcome.kind !== "ok") {
    host.logger.warn({ ...fields, reason: outcome.reason }, "failed to reload an engine's catalog");
    return outcome.reason;
  }
  // For a restart without the database.
  live.order = { ...live.order, catalog: { productId: live.productId, ...wanted } };
  return null;
}

/** Whether the engine's process can see the files of a version. Some backends place files only before a start. */
const mayHaveFiles = (
  { backend }: Pick<HostContext, "backend">,
  { catalog, order }: LiveEngine,
  wanted: CurrentCatalog,
): boolean =>
  backend.catalogs.reloads ||
  wanted.digest === null ||
  // An earlier daemon started it, with a version that it did not record.
  catalog.version === null ||
  order.catalog?.digest === wanted.digest;

/** Restarts an idle engine with the current version. Null when the restart has begun, else why not. */
async function restart(host: EngineHost, live: LiveEngine): Promise<string | null> {
  const slept = await putToSleep(host, live, { reason: "request", idleMs: 0 }).catch((error: unknown) => {
    host.logger.warn({ engine_id: live.id, err: error }, "failed to restart an engine for its product's catalog");
    return null;
  });
  const outcomes = { asleep: "restarted", overtaken: "failed", refused: "busy" } as const;
  host.metrics.catalogReloads.inc({ outcome: slept === null ? "failed" : outcomes[slept.kind] });
  if (slept === null) return "its restart with the version has failed";
  if (slept.kind === "refused") return `it is restarted with the version after its work (${slept.awake.join(", ")})`;
  if (slept.kind === "overtaken") return "another change of the engine came before its restart with the version";
  host.supervisor.wakeForCalls(live.id, "start");
  return null;
}

/** Makes the product's running engines on this host use its current version. Reports after 20 s; late reloads continue. */
export async function rollOutCatalog(host: EngineHost, productId: string): Promise<CatalogRollout> {
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
    // An engine that has ended meanwhile uses the version from its next start.
    return reason === null || host.live.get(live.id) !== live ? [] : [{ user_id: live.order.launch.user_id, reason }];
  });
  return { running: engines.length, reloaded: engines.length - failed.length, failed: failed.slice(0, MAX_NAMED) };
}
