import { DirectLauncher } from "../../src/engine/isolation/direct-launcher.ts";
import { engineFolders } from "../../src/engine/isolation/file-rules.ts";
import type { EntryContext } from "../../src/engine/mcp/server-config.ts";
import type { CommandHost } from "../../src/engine/tools/command/run-command.ts";

/** What commands need, unconfined. `dataDir` is the engine's folder, for tests whose commands use more than the workspace. */
export function commandHost(
  environment: Readonly<Record<string, string | undefined>> = {},
  dataDir = "/no/such/engine",
): CommandHost {
  return { environment, folders: engineFolders(dataDir), launcher: new DirectLauncher() };
}

/** What entries of a `.mcp.json` may refer to. */
export const entryContext = (variables: Readonly<Record<string, string>> = {}, dataDir?: string): EntryContext => ({
  variables,
  places: { folders: commandHost({}, dataDir).folders, read: [] },
});
