/**
 * How a backend finds an engine's process again. Opaque to the rest of the daemon, which stores it with the engine's
 * record. It holds no secret.
 */
export interface EngineHandle {
  /** The name of the backend that made it. */
  readonly backend: string;
  /** The version of the backend's other fields. */
  readonly version: number;
  readonly [field: string]: unknown;
}

/** What a handle tells operators, in an engine's record and its events. Null where the backend has no pid. */
export function shownProcess(handle: EngineHandle | null): { readonly pid: number | null } {
  const pid = handle?.["pid"];
  return { pid: typeof pid === "number" ? pid : null };
}
