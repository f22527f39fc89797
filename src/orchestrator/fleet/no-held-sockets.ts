import type { HeldSockets } from "./engine-sockets.ts";

/** For backends whose engines create their own sockets. Calls cannot wait for an engine that does not run. */
export const NO_HELD_SOCKETS: HeldSockets = {
  restore: () => undefined,
  hold: () => null,
  canHold: () => false,
  isHeld: () => false,
  awaitCall: () => undefined,
  refuse: () => undefined,
  release: () => undefined,
  close: () => undefined,
};
