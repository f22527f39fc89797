import type { EngineStatus } from "../../contract/engine-control.ts";
import { engineStatus } from "../fleet/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { recordActivity as store } from "../store/engines.ts";
import type { HostContext } from "../host-context.ts";

/** The least change of `last_active_at` that is stored. */
const MIN_CHANGE_MS = 60_000;

/** Reads an engine's `last_active_at` and stores it. After a reboot the most recently used engines start first. */
export async function recordActivity(
  host: Pick<HostContext, "db" | "now" | "logger">,
  live: LiveEngine,
): Promise<void> {
  const answer = await engineStatus({ url: live.url, token: live.controlToken });
  if (answer.kind === "failed") return;
  const reported = activeAt(answer.status);
  if (reported === null) return;
  // The engine is not trusted: a time in the future is cut to now.
  const at = Math.min(reported, host.now());
  live.lastActiveAt = at;
  if (at - live.lastActiveStored < MIN_CHANGE_MS) return;
  try {
    await store(host.db, live.id, new Date(at));
    live.lastActiveStored = at;
  } catch (error) {
    // Retried with a later probe.
    host.logger.warn({ err: error, engine_id: live.id }, "failed to store last_active_at");
  }
}

export const activeAt = ({ last_active_at: at }: EngineStatus): number | null => (at === null ? null : Date.parse(at));
