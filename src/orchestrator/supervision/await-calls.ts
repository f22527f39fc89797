import { PortTaken } from "../fleet/launch-failed.ts";
import type { HostContext } from "../host-context.ts";
import { backendPort } from "../rules/backend-port.ts";
import { isAsleep } from "../rules/engine-lifecycle.ts";
import { findEngineById } from "../store/engines.ts";
import { changePort } from "../store/ports.ts";
import type { EngineRow } from "../store/tables.ts";
import { retryUntilStopped } from "./retry-until-stopped.ts";
import { inSleepLane } from "./sleep-lane.ts";

type Host = Pick<
  HostContext,
  "db" | "backend" | "events" | "lanes" | "settings" | "now" | "logger" | "stopping" | "supervisor"
>;

/**
 * Holds the socket of an engine that is asleep, and wakes it at the first call. Where it cannot be held, calls wait at
 * the gateway. The caller is in its sleep lane.
 */
export async function awaitCalls(host: Host, row: EngineRow): Promise<void> {
  const { sockets } = host.backend;
  let current: EngineRow | null = row;
  await retryUntilStopped(host, "socket of a sleeping engine", async () => {
    // A failed attempt may have moved the engine to another port all the same.
    const asleep = current ?? (await findEngineById(host.db, row.id));
    current = null;
    if (asleep === null || !isAsleep(asleep)) return;
    const held = await holdOnAnyPort(host, asleep);
    if (held) sockets.awaitCall(row.id, () => host.supervisor.wakeForCalls(row.id, "call"));
  });
}

/** Like {@link awaitCalls}, if the engine is asleep. */
export const awaitCallsIfAsleep = (host: Host, engineId: string): Promise<void> =>
  inSleepLane(host, engineId, async () => {
    const row = await findEngineById(host.db, engineId);
    if (row !== null && isAsleep(row)) await awaitCalls(host, row);
  });

/**
 * False when no socket can be held, or the engine is no longer asleep. The engine gets another port if a program took its
 * port while no daemon ran.
 */
async function holdOnAnyPort(host: Host, row: EngineRow): Promise<boolean> {
  for (let attempt = row; ;) {
    try {
      if (host.backend.sockets.hold(attempt.id, backendPort(attempt)) !== null) return true;
      if (host.settings.publicUrl === null)
        host.logger.error(
          { engine_id: row.id },
          "failed to hold the socket of a sleeping engine: start the engine by a call",
        );
      return false;
    } catch (error) {
      if (!(error instanceof PortTaken)) throw error;
      host.logger.warn({ engine_id: row.id, port: attempt.port }, "moving a sleeping engine: its port is taken");
      const moved = await changePort(host.db, attempt, { range: host.settings.portRange, events: host.events });
      if (moved === null) {
        const now = await findEngineById(host.db, row.id);
        if (now === null || !isAsleep(now)) return false;
        throw new Error(`no free port for the sleeping engine ${row.id}`, { cause: error });
      }
      attempt = moved;
    }
  }
}
