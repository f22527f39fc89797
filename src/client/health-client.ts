import { type CallOptions, type ConnectionOptions, callJson, serviceOf } from "./http-call.ts";
import { DEFAULT_LIMITS } from "./limits.ts";

export interface HostHealth {
  readonly status: "ok";
  readonly version: string;
  readonly uptime_s: number;
  /** A follower passes calls on to the leader. */
  readonly role: "leader" | "follower";
  /** The address or name of the daemon that leads. Null while none is known. */
  readonly leader: string | null;
}

export interface HostReadiness {
  readonly status: "ready";
  readonly version: string;
  readonly role: HostHealth["role"];
  readonly leader: string | null;
}

export type HealthClient = ReturnType<typeof createHealthClient>;

/** The calls that need no key. `url` is the orchestrator's, or for `health` an engine's. */
export function createHealthClient(connection: ConnectionOptions) {
  const service = serviceOf(connection, {}, DEFAULT_LIMITS);
  const get = <T>(path: string, { signal }: CallOptions = {}) => callJson<T>(service, { method: "GET", path, signal });
  return {
    url: service.url,
    health: <T extends object = HostHealth>(call?: CallOptions) => get<T>("/health", call),
    /** Throws `SERVICE_UNAVAILABLE` with the reason while the orchestrator is not ready. */
    ready: (call?: CallOptions) => get<HostReadiness>("/ready", call),
  };
}
