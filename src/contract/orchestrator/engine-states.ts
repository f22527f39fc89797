export const ENGINE_STATES = [
  "provisioning",
  "starting",
  "running",
  "unhealthy",
  "sleeping",
  "backoff",
  "stopping",
  "stopped",
  "failed",
  "stop_failed",
  "destroying",
] as const;
export type EngineState = (typeof ENGINE_STATES)[number];
