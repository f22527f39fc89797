import { delay } from "../../shared/clock.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { probeOnce } from "../fleet/health-probe.ts";
import { probeWaitMs } from "../rules/probe-wait.ts";
import { retryUntilStopped } from "./retry-until-stopped.ts";
import { recordActivity } from "./record-activity.ts";
import type { HostContext } from "../host-context.ts";

export const MISSES_UNHEALTHY = 3;
const MISSES_RESTART = 6;
const PROBE_TIMEOUT_MS = 2000;
const RESTART_TERM_MS = 10_000;
/** When an engine last worked is asked with the first probe and then with every so many: it need not be known exactly. */
const PROBES_PER_ACTIVITY = 6;

/**
 * Looks after one life of an engine from `running` to its process's end. What the end means is the business of
 * `onGone`, handed in by who starts the watch, so that restart and watch do not know each other.
 */
export function watchEngine(host: HostContext, live: LiveEngine, onGone: (live: LiveEngine) => Promise<void>): void {
  const gone = new AbortController();
  void live.process.exited.then(async () => {
    gone.abort();
    if (host.stopping.aborted) return;
    await onGone(live).catch((error: unknown) => {
      host.logger.error(
        { err: error, engine_id: live.id, incarnation: live.incarnation },
        "the end of an engine was not recorded",
      );
    });
  });
  void keepProbing(host, live, AbortSignal.any([gone.signal, host.stopping])).catch((error: unknown) => {
    host.logger.error({ err: error, engine_id: live.id, incarnation: live.incarnation }, "watching an engine failed");
  });
}

async function keepProbing(host: HostContext, live: LiveEngine, signal: AbortSignal): Promise<void> {
  const interval = host.settings.healthIntervalMs;
  let answers = 0;
  let silentSince = performance.now();
  const wait = () => probeWaitMs({ intervalMs: interval, nowMs: performance.now(), random: Math.random() });
  while (await delay(wait(), signal)) {
    const problem = await probe(host, live, Math.min(PROBE_TIMEOUT_MS, interval));
    if (signal.aborted) return;
    if (problem === "unknown") continue;
    if (problem === null) {
      live.lastOkAt = host.now();
      silentSince = performance.now();
      if (live.consecutiveFailures >= MISSES_UNHEALTHY) record(host, live, { from: "unhealthy", to: "running" });
      live.consecutiveFailures = 0;
      if (answers++ % PROBES_PER_ACTIVITY === 0) await recordActivity(host, live);
      continue;
    }
    live.consecutiveFailures++;
    if (live.consecutiveFailures === MISSES_UNHEALTHY) {
      record(host, live, { from: "running", to: "unhealthy" });
      host.breaker.noteFailure(live.id, host.live.ids());
    }
    // While everything fails no engine is ended for it: the cause is not in the engines.
    if (live.consecutiveFailures >= MISSES_RESTART && !host.breaker.isOpen) {
      const silentS = Math.round((performance.now() - silentSince) / 1000);
      await endSilent(
        host,
        live,
        `no health answer for ${live.consecutiveFailures} probes over ${silentS} s (${problem.reason})`,
      );
    }
  }
}

/** Ends an engine that does not answer. One that this does not end is probed on, and ended again. */
async function endSilent(host: Pick<HostContext, "logger">, live: LiveEngine, reason: string): Promise<void> {
  const fields = { engine_id: live.id, incarnation: live.incarnation, reason };
  host.logger.warn(fields, "engine does not answer: it is ended to be restarted");
  live.endedBecause = `${reason}; ended by the daemon`;
  try {
    const end = await live.process.stop(RESTART_TERM_MS);
    if (end.kind === "survived") host.logger.error({ ...fields, pids: end.pids }, "processes of an engine do not die");
  } catch (error) {
    host.logger.error({ ...fields, err: error }, "an engine that does not answer could not be ended");
  }
}

/**
 * Null when it answers; else why not. `unknown` when this process itself did not run meanwhile: then a missing answer
 * says nothing of the engine.
 */
async function probe(
  host: Pick<HostContext, "probes" | "stalls">,
  live: LiveEngine,
  timeoutMs: number,
): Promise<{ readonly reason: string } | null | "unknown"> {
  return host.probes.add(async () => {
    const began = performance.now();
    const verdict = await probeOnce(live.url, { engineId: live.id, incarnation: live.incarnation, timeoutMs });
    if (verdict.kind === "ok") return null;
    if (host.stalls.since(began)) return "unknown";
    return { reason: verdict.kind === "failed" ? verdict.reason : "another program answers on its port" };
  });
}

/** Written when the database takes it, in order; probing does not wait for that. */
function record(
  host: Pick<HostContext, "states" | "lanes" | "logger" | "stopping">,
  live: LiveEngine,
  { from, to }: { from: "running" | "unhealthy"; to: "running" | "unhealthy" },
): void {
  const reason = to === "running" ? "it answers again" : `${MISSES_UNHEALTHY} probes without an answer`;
  const write = () =>
    retryUntilStopped(host, "health", () =>
      host.states.move({ id: live.id, from: [from], to, incarnation: live.incarnation, event: { reason } }),
    );
  void host.lanes.run(`health ${live.id}`, write);
}
