import { delay } from "../../shared/clock.ts";
import type { HostContext } from "../host-context.ts";

/** Measured again this often: the limit shall follow the engines' work of minutes, not of moments. */
const INTERVAL_MS = 30_000;
/** The kernel walks all pages of a process for it, which takes a millisecond or more. */
const MAX_MEASURED = 8;
/** An engine that has just started has not loaded what its first turn needs. */
const MIN_AGE_MS = 5000;
const MIB = 1_048_576;

type Measured = Pick<HostContext, "backend" | "live" | "awakeSlots" | "logger" | "stopping">;

/** Measures what some awake engines take, chosen at random, until the daemon stops: `ORCH_MAX_AWAKE` follows it. */
export async function measureAwake(host: Measured, intervalMs = INTERVAL_MS): Promise<void> {
  while (await delay(intervalMs, host.stopping)) {
    try {
      await measureOnce(host);
    } catch (error) {
      host.logger.warn({ err: error }, "failed to measure the memory of engines");
    }
  }
}

async function measureOnce({ backend, live, awakeSlots }: Measured): Promise<void> {
  const engines = live.all().filter((one) => !one.isStopping && performance.now() - one.supervisedAt > MIN_AGE_MS);
  const chosen = Array.from({ length: Math.min(MAX_MEASURED, engines.length) }, (_, index) => {
    // Each takes the place of the one that it swaps with, so that none is chosen twice.
    const at = index + Math.floor(Math.random() * (engines.length - index));
    [engines[index], engines[at]] = [
      engines[at] as (typeof engines)[number],
      engines[index] as (typeof engines)[number],
    ];
    return engines[index];
  });
  if (chosen.length === 0) return;
  const sizes = await backend.proportionalMemory(chosen.map(({ process }) => process));
  awakeSlots.measure({ sizesMb: sizes.map((bytes) => bytes / MIB), awake: live.ids().size });
}
