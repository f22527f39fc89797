import type { EngineStatus } from "../../contract/engine-control.ts";
import { engineStatus } from "../fleet/engine-control.ts";
import type { LiveEngine } from "../fleet/live-engines.ts";
import { recordActivity as store } from "../store/engines.ts";
import type { HostContext } from "../host-context.ts";

/** A time within so much of the one that is stored is not worth a write. */
const WORTH_WRITING_MS = 60_000;

/** Asks an engine when it last worked, and keeps it: after a reboot those used last are started first. */
export async function recordActivity(
  host: Pick<HostContext, "db" | "now" | "logger">,
  live: LiveEngine,
): Promise<void> {
  const answer = await engineStatus({ url: live.url, token: live.controlToken });
  if (answer.kind === "failed") return;
  const told = activeAt(answer.status);
  if (told === null) return;
  // An engine has no say about the future.
  const at = Math.min(told, host.now());
  live.lastActiveAt = at;
  if (at - live.lastActiveStored < WORTH_WRITING_MS) return;
  try {
    await store(host.db, live.id, new Date(at));
    live.lastActiveStored = at;
  } catch (error) {
    // Told again with the next probe: nothing waits for it.
    host.logger.warn({ err: error, engine_id: live.id }, "when an engine last worked could not be written down");
  }
}

export const activeAt = ({ last_active_at: at }: EngineStatus): number | null => (at === null ? null : Date.parse(at));
