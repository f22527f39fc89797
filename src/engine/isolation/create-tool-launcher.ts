import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EngineIsolation } from "../../contract/launch-file.ts";
import { ConfinedLauncher, type ConfinedLauncherOptions } from "./confined-launcher.ts";
import { DirectLauncher } from "./direct-launcher.ts";
import type { ToolLauncher } from "./tool-launcher.ts";

export interface ToolLauncherOptions extends Omit<ConfinedLauncherOptions, "program"> {
  readonly isolation: Pick<EngineIsolation, "tools" | "read">;
  /** The folder of the engine's bundles. */
  readonly programDir: string;
}

/** The launcher of an engine: confining where the daemon promised it, and else starting programs as they are. */
export function createToolLauncher({ programDir, ...options }: ToolLauncherOptions): ToolLauncher {
  if (!options.isolation.tools) return new DirectLauncher();
  // Read now: an upgrade may replace the installed file before the first command.
  const program = readFileSync(join(programDir, "engine-tool-worker.cjs"), "utf8");
  return new ConfinedLauncher({ ...options, program });
}
