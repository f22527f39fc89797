import { randomInt } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../../../shared/error-code.ts";

/** Below the ports that kernels give to outgoing connections, and below those of engines by default. */
const PORTS = { min: 10_000, max: 19_999 } as const;

/** The port of the broker, which engines know: a later daemon uses it again. Null before the first one. */
export function rememberedPort(folder: string): number | null {
  try {
    const port = Number(readFileSync(portFile(folder), "utf8"));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** A port that is known already is not written again: see {@link portKnownSince}. */
export function rememberPort(folder: string, port: number): void {
  if (rememberedPort(folder) !== port) writeFileSync(portFile(folder), `${port}\n`, { mode: 0o600 });
}

export const portKnownSince = (folder: string): Date => statSync(portFile(folder)).mtime;

/** A port outside the range of engines. */
export function randomPort(engines: { readonly min: number; readonly max: number }): number {
  for (;;) {
    const port = randomInt(PORTS.min, PORTS.max + 1);
    if (port < engines.min || port > engines.max) return port;
    // A range of engines that covers all of these is no reason to search for ever.
    if (engines.min <= PORTS.min && engines.max >= PORTS.max)
      return engines.max < 65_535 ? engines.max + 1 : engines.min - 1;
  }
}

const portFile = (folder: string): string => join(folder, "port");
