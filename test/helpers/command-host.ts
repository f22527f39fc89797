import { DirectLauncher } from "../../src/engine/isolation/direct-launcher.ts";
import { engineFolders } from "../../src/engine/isolation/file-rules.ts";
import { ToolNetwork } from "../../src/engine/isolation/network/tool-network.ts";
import type { EntryContext } from "../../src/engine/mcp/server-config.ts";
import type { CommandHost } from "../../src/engine/tools/command/run-command.ts";
import { createLogger } from "../../src/shared/logger.ts";

/** What commands need, unconfined and without a network. `dataDir` is the engine's folder, for tests whose commands use more than the workspace. */
export function commandHost(
  environment: Readonly<Record<string, string | undefined>> = {},
  dataDir = "/no/such/engine",
  network = new ToolNetwork({
    launch: { tool_network: "none", tool_listen: [] },
    logger: createLogger("test", "silent"),
  }),
): CommandHost {
  const launcher = new DirectLauncher((asked) => network.access(asked));
  return { environment, folders: engineFolders(dataDir), launcher, network };
}

/** What entries of a `.mcp.json` may refer to. */
export const entryContext = (variables: Readonly<Record<string, string>> = {}, dataDir?: string): EntryContext => ({
  variables,
  places: { folders: commandHost({}, dataDir).folders, read: [] },
});
