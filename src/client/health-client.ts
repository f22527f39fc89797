import * as routes from "./orchestrator-routes.ts";
import { type CallOptions, type ConnectionOptions, serviceOf } from "./http-call.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import type { HostHealth as CurrentHealth } from "./records.ts";
import { type Route, callsOf } from "./route.ts";

/** A daemon of an earlier version gives no `host_id`. */
export type HostHealth = Omit<CurrentHealth, "host_id"> & Partial<Pick<CurrentHealth, "host_id">>;

export type HealthClient = ReturnType<typeof createHealthClient>;

/** The calls that need no key. `url` is the orchestrator's, or for `health` an engine's. */
export function createHealthClient(connection: ConnectionOptions) {
  const service = serviceOf(connection, {}, DEFAULT_LIMITS);
  const { call } = callsOf(service);
  return {
    url: service.url,
    health: async <T extends object = HostHealth>(given: CallOptions = {}) =>
      (await call<Route<object, object>>(routes.health, given)) as T,
    /** Throws `SERVICE_UNAVAILABLE` with the reason while the orchestrator is not ready. */
    ready: (given: CallOptions = {}) => call(routes.ready, given),
  };
}
