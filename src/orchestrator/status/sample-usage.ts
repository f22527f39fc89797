import { delay } from "../../shared/clock.ts";
import type { ProcessTreeUsage } from "../fleet/engine-backend.ts";
import type { HostContext } from "../host-context.ts";

/** Half the interval of the stored samples, so that each has a value. */
const INTERVAL_MS = 5000;
/** At most a hundredth of the time is spent sampling. 1,000 engines need 0.7 % of one core. */
const REST_PER_SAMPLE = 99;

/** A tree's usage at one time, in milliseconds of a monotonic clock. */
interface Sample extends ProcessTreeUsage {
  readonly at: number;
}

/** Samples CPU and memory of every supervised engine with its tools, until the daemon stops. */
export async function sampleUsage(
  host: Pick<HostContext, "backend" | "live" | "samples" | "now" | "logger" | "stopping">,
): Promise<void> {
  let before: ReadonlyMap<string, Sample> = new Map();
  let waitMs = 0;
  while (await delay(waitMs, host.stopping)) {
    const startedAt = performance.now();
    try {
      before = await takeSamples(host, before);
      host.samples.add(host.now(), host.live.all());
    } catch (error) {
      host.logger.warn({ err: error }, "failed to sample the usage of engines");
    }
    waitMs = Math.max(INTERVAL_MS, (performance.now() - startedAt) * REST_PER_SAMPLE);
  }
}

/** Stores the usage of each engine and returns its sample, by incarnation. */
async function takeSamples(
  { backend, live, now }: Pick<HostContext, "backend" | "live" | "now">,
  before: ReadonlyMap<string, Sample>,
): Promise<ReadonlyMap<string, Sample>> {
  const engines = live.all();
  if (engines.length === 0) return new Map();
  const usages = await backend.usage(engines.map(({ process }) => process));
  const at = performance.now();
  const samples = new Map<string, Sample>();
  for (const engine of engines) {
    const usage = usages.get(engine.process);
    if (usage === undefined) continue;
    const sample = { ...usage, at };
    samples.set(engine.incarnation, sample);
    const cpuPercent = cpuBetween(before.get(engine.incarnation), sample);
    engine.usage = { cpuPercent, memoryBytes: usage.memoryBytes, sampledAt: now() };
  }
  return samples;
}

/** Per cent of one core; null for a first sample. Negative differences, from tools that have exited, count as 0. */
function cpuBetween(before: Sample | undefined, after: Sample): number | null {
  if (before === undefined) return null;
  const share = (after.cpuMs - before.cpuMs) / (after.at - before.at);
  return Math.round(Math.max(0, share) * 1000) / 10;
}
