import { clearAmbientCapabilities } from "../../../sandbox/rights.ts";
import { nativeProblem } from "../../../sandbox/sockets.ts";

/** To start processes as engine users, to change the owners of their folders, and to signal them. Bits of `CapEff`. */
export const NEEDED_CAPABILITIES = {
  CAP_CHOWN: 0,
  CAP_DAC_OVERRIDE: 1,
  CAP_FOWNER: 3,
  CAP_KILL: 5,
  CAP_SETGID: 6,
  CAP_SETUID: 7,
} as const;

/**
 * Keeps the capabilities of the unit's `AmbientCapabilities=` for this process alone: PostgreSQL, engines and other
 * programs that the main thread starts do not inherit them.
 */
export function dropAmbientCapabilities(): void {
  if (process.getuid?.() !== 0 && nativeProblem() === null) clearAmbientCapabilities();
}
