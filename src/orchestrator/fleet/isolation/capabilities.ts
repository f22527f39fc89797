import { readFile } from "node:fs/promises";
import { clearAmbientCapabilities } from "../../../shared/linux/process-limits.ts";
import { nativeProblem } from "../../../shared/linux/system-calls.ts";

/** To start processes as engine users, to change the owners of their folders, and to signal them. Bits of `CapEff`. */
export const NEEDED_CAPABILITIES = {
  CAP_CHOWN: 0,
  CAP_DAC_OVERRIDE: 1,
  CAP_FOWNER: 3,
  CAP_KILL: 5,
  CAP_SETGID: 6,
  CAP_SETUID: 7,
} as const;

/** The names of the needed capabilities that this process lacks. */
export async function missingCapabilities(): Promise<readonly string[]> {
  const status = await readFile("/proc/self/status", "utf8").catch(() => "");
  const held = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  return Object.entries(NEEDED_CAPABILITIES).flatMap(([name, bit]) => ((held >> BigInt(bit)) & 1n ? [] : [name]));
}

/**
 * Keeps the capabilities of the unit's `AmbientCapabilities=` for this process alone: PostgreSQL, engines and other
 * programs that the main thread starts do not inherit them.
 */
export function dropAmbientCapabilities(): void {
  if (process.getuid?.() !== 0 && nativeProblem() === null) clearAmbientCapabilities();
}
