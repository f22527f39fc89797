import type { Logger } from "./logger.ts";

const NS_PER_US = 1000n;

/** The steps of a wake from the first call to the model's answer, in their order, and the program that logs each. */
export const WAKE_STEPS = {
  call_noticed: "daemon",
  row_claimed: "daemon",
  launch_prepared: "daemon",
  process_claimed: "daemon",
  launch_read: "engine",
  store_opened: "engine",
  app_made: "engine",
  listening: "engine",
  call_accepted: "engine",
  turn_stored: "engine",
  model_called: "engine",
  model_answered: "engine",
} as const satisfies Readonly<Record<string, "daemon" | "engine">>;

/** Beside the steps above: what the daemon does while the engine serves the call. */
export const SUPERVISION_STEPS = { found_healthy: "daemon", row_running: "daemon" } as const;

export type Step = keyof typeof WAKE_STEPS | keyof typeof SUPERVISION_STEPS;

/**
 * Logs at DEBUG that a start has reached a step, with the time of the monotonic clock, which all programs of a machine
 * share: `npm run bench -- wakes --steps` puts them together.
 */
export function logStep(logger: Logger, step: Step, engineId?: string): void {
  if (!logger.isLevelEnabled("debug")) return;
  const atUs = Number(process.hrtime.bigint() / NS_PER_US);
  logger.debug({ step, at_us: atUs, ...(engineId !== undefined && { engine_id: engineId }) }, "reached a step");
}
