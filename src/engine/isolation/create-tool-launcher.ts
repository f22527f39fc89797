import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EngineLaunch } from "../../contract/engine-launch.ts";
import { ConfinedLauncher, type ConfinedLauncherOptions } from "./confined-launcher.ts";
import { DirectLauncher } from "./direct-launcher.ts";
import type { ToolLauncher } from "./tool-launcher.ts";

export interface ToolLauncherOptions extends Pick<ConfinedLauncherOptions, "folders" | "network" | "logger"> {
  readonly launch: Pick<EngineLaunch, "isolation" | "extra_ca_certs" | "tool_listen">;
  /** The folder of the engine's bundles. */
  readonly programDir: string;
}

/** The launcher of an engine: confined when the daemon promised the part `tools`, else direct. */
export function createToolLauncher({ launch, programDir, ...options }: ToolLauncherOptions): ToolLauncher {
  const { isolation, extra_ca_certs: certificates, tool_listen: listen } = launch;
  if (!isolation.tools) return new DirectLauncher(options.network);
  // Read now: an upgrade may replace the installed file before the first command.
  const program = readFileSync(join(programDir, "engine-tool-worker.cjs"), "utf8");
  // The environment of tool servers names the certificates.
  const readable = certificates === null ? isolation.read : [...isolation.read, certificates];
  return new ConfinedLauncher({ ...options, readable, listen, program });
}
