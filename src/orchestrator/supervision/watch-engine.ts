import { inBackground, untilExit } from "../../shared/background.ts";
import { delay } from "../../shared/clock.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { probeOnce } from "../engine-calls/health-probe.ts";
import { probeWaitMs } from "../rules/probe-wait.ts";
import { retryUntilStopped } from "./retry-until-stopped.ts";
import type { HostContext, StartingHost } from "../host-context.ts";
import { reloadCatalog } from "./reload-catalog.ts";
import { embedKnowledge } from "./embed-knowledge.ts";
import { reloadKnowledge } from "./reload-knowledge.ts";
import { syncAllowed } from "./follow-models.ts";
import { syncToolHook } from "./follow-tool-hooks.ts";
import { checkIdle } from "./idle-check.ts";

export const MISSES_UNHEALTHY = 3;
const MISSES_RESTART = 6;
/** The probe interval while a call waits for a larger share of a budget. */
const BUDGET_WAIT_MS = 1000;
const PROBE_TIMEOUT_MS = 2000;
const RESTART_TERM_MS = 10_000;

/**
 * Probes one incarnation from `running` until its process exits, then calls `onExit`. Rejections of `onExit` are logged.
 */
export function watchEngine(host: StartingHost, live: LiveEngine, onExit: (live: LiveEngine) => Promise<void>): void {
  const exited = new AbortController();
  const fields = { engine_id: live.id, incarnation: live.incarnation };
  const noted = live.process.exited.then(() => {
    exited.abort();
    if (!host.stopping.aborted) inBackground("exit of an engine", onExit(live), fields);
  });
  const probed = probeRepeatedly(host, live, AbortSignal.any([exited.signal, host.stopping]));
  untilExit("wait for an engine's exit", noted, fields);
  inBackground("probes of an engine", probed, fields);
}

async function probeRepeatedly(host: StartingHost, live: LiveEngine, signal: AbortSignal): Promise<void> {
  const interval = host.settings.healthIntervalMs;
  let silentSince = performance.now();
  const wait = () =>
    probeWaitMs({
      intervalMs: live.waitsForBudget ? Math.min(interval, BUDGET_WAIT_MS) : interval,
      nowMs: performance.now(),
      random: Math.random(),
    });
  // Extends its shares of the product's budgets before a call waits for them.
  if (live.order.launch.budgets !== undefined) await checkIdle(host, live);
  while (await delay(wait(), signal)) {
    if (live.fallingAsleep !== null) continue;
    const probing = probe(host, live, Math.min(PROBE_TIMEOUT_MS, interval));
    live.probing = probing;
    const problem = await probing;
    live.probing = null;
    if (signal.aborted) return;
    if (problem === "unknown") continue;
    if (problem === null) {
      live.lastOkAt = host.now();
      silentSince = performance.now();
      if (live.consecutiveFailures >= MISSES_UNHEALTHY) record(host, live, { from: "unhealthy", to: "running" });
      live.consecutiveFailures = 0;
      await reloadCatalog(host, live);
      await reloadKnowledge(host, live);
      embedKnowledge(host, live.productId);
      await syncAllowed(host, live);
      await syncToolHook(host, live);
      await checkIdle(host, live);
      continue;
    }
    live.consecutiveFailures++;
    if (live.consecutiveFailures === MISSES_UNHEALTHY) {
      record(host, live, { from: "running", to: "unhealthy" });
      host.breaker.recordFailure(live.id, host.live.ids());
    }
    // While the breaker is open the cause is not in this engine, so it is not restarted.
    if (live.consecutiveFailures >= MISSES_RESTART && !host.breaker.isOpen) {
      const silentS = Math.round((performance.now() - silentSince) / 1000);
      await stopUnresponsive(
        host,
        live,
        `no health answer for ${live.consecutiveFailures} probes over ${silentS} s (${problem.reason})`,
      );
    }
  }
}

/** Stops an engine that does not answer. If it survives, the next failed probes stop it again. */
async function stopUnresponsive(host: Pick<HostContext, "logger">, live: LiveEngine, reason: string): Promise<void> {
  const fields = { engine_id: live.id, incarnation: live.incarnation, reason };
  host.logger.warn(fields, "stopping an engine that does not answer, for a restart");
  live.stopCause = `${reason}; stopped by the daemon`;
  try {
    const end = await live.process.stop(RESTART_TERM_MS);
    if (end.kind === "survived")
      host.logger.error({ ...fields, ...end.data, reason: end.reason }, "failed to kill all processes of an engine");
  } catch (error) {
    host.logger.error({ ...fields, err: error }, "failed to stop an engine that does not answer");
  }
}

/**
 * Null when the engine answers, else the reason. `unknown` when this process itself was stalled during the probe: a
 * missing answer then proves nothing about the engine.
 */
async function probe(
  host: Pick<HostContext, "probes" | "stalls">,
  live: LiveEngine,
  timeoutMs: number,
): Promise<{ readonly reason: string } | null | "unknown"> {
  return host.probes.add(async () => {
    const startedAt = performance.now();
    const verdict = await probeOnce(live.url, { engineId: live.id, incarnation: live.incarnation, timeoutMs });
    if (verdict.kind === "ok") {
      live.activeTurns = verdict.activeTurns;
      live.modelFailedAt = verdict.modelFailedAt;
      return null;
    }
    if (host.stalls.since(startedAt)) return "unknown";
    return { reason: verdict.kind === "failed" ? verdict.reason : "another program answers on its port" };
  });
}

/** Writes health changes in order once the database is available. Probing does not wait for it. */
function record(
  host: Pick<HostContext, "states" | "lanes" | "logger" | "stopping">,
  live: LiveEngine,
  { from, to }: { from: "running" | "unhealthy"; to: "running" | "unhealthy" },
): void {
  const reason = to === "running" ? "the engine answers again" : `${MISSES_UNHEALTHY} probes without an answer`;
  const move = () =>
    retryUntilStopped(host, "health", () =>
      host.states.move({ id: live.id, from: [from], to, incarnation: live.incarnation, event: { reason } }),
    );
  inBackground("record of health", host.lanes.run(`health ${live.id}`, move), { engine_id: live.id });
}
