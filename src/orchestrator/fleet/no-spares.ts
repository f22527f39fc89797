import type { EngineBackend } from "./engine-backend.ts";

/** For backends without spares. */
export const NO_SPARES: EngineBackend["spares"] = {
  report: () => ({ target: 0, ready: 0, problem: null, claims: { claimed: 0, none_left: 0, unfit: 0 } }),
  close: () => undefined,
};
