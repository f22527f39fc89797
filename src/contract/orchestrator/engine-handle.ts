/**
 * Identifies an engine's process for its backend. Opaque to the rest of the daemon, which stores it with the engine's
 * record. It holds no secret.
 */
export interface EngineHandle {
  /** The name of the backend that created it. */
  readonly backend: string;
  /** The version of the backend's other fields. */
  readonly version: number;
  readonly [field: string]: unknown;
}

/** The fields of a handle in an engine's record and events. Null if the backend has no pid. */
export function shownProcess(handle: EngineHandle | null): { readonly pid: number | null } {
  const pid = handle?.["pid"];
  return { pid: typeof pid === "number" ? pid : null };
}
