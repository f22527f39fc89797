import { randomUUID } from "node:crypto";
import type { Incarnation } from "../fleet/engine-backend.ts";
import { backendPort } from "../rules/backend-port.ts";
import type { EngineRow } from "../store/tables.ts";
import type { HostContext } from "../host-context.ts";

/** Added to the boot timeout: the boot itself times out first, and only then the reaper ends it. */
const GRACE_MS = 20_000;

export const bootDeadline = (host: Pick<HostContext, "settings" | "now">): Date =>
  new Date(host.now() + host.settings.bootTimeoutMs + GRACE_MS);

/** The columns of a row that starts a new incarnation: nothing of the previous process remains. */
export function newIncarnation<T extends object>(host: Pick<HostContext, "settings" | "now">, more: T) {
  return {
    incarnation: randomUUID(),
    handle: null,
    next_restart_at: null,
    stopped_at: null,
    woken_by: null,
    deadline_at: bootDeadline(host),
    ...more,
  };
}

/** The current incarnation of a row, for the backend. */
export const currentIncarnation = (engine: EngineRow): Incarnation => ({
  id: engine.incarnation,
  engineId: engine.id,
  port: backendPort(engine),
  uid: engine.uid,
});
