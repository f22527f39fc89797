import type { EngineBackend } from "../engine-backend.ts";

/** What backends have in common whose engines run in containers. `limits`: what enforces the limits of engines. */
export const inContainers = (
  limits: string,
): Pick<EngineBackend, "sockets" | "spares" | "limitsReport" | "startProblem"> => ({
  // Engines create their own sockets. Calls cannot wait for an engine that does not run.
  sockets: {
    restore: () => undefined,
    hold: () => null,
    canHold: () => false,
    isHeld: () => false,
    awaitCall: () => undefined,
    refuse: () => undefined,
    release: () => undefined,
    close: () => undefined,
  },
  spares: {
    report: () => ({ target: 0, ready: 0, problem: null, claims: { claimed: 0, none_left: 0, unfit: 0 } }),
    endOne: () => false,
    close: () => undefined,
  },
  limitsReport: () => ({ name: "limits", active: true, problem: null, fix: null, detail: limits }),
  startProblem: () => null,
});
