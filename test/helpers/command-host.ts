import { DirectLauncher } from "../../src/engine/isolation/direct-launcher.ts";
import { DiskQuota } from "../../src/engine/isolation/limits/disk-quota.ts";
import { LimitedLauncher } from "../../src/engine/isolation/limits/limited-launcher.ts";
import { engineFolders } from "../../src/engine/isolation/file-rules.ts";
import { ToolNetwork } from "../../src/engine/isolation/network/tool-network.ts";
import type { ToolLauncher } from "../../src/engine/isolation/tool-launcher.ts";
import type { EntryContext } from "../../src/engine/mcp/server-config.ts";
import type { CommandHost } from "../../src/engine/tools/command/run-command.ts";
import { createLogger } from "../../src/shared/logger.ts";

const silent = createLogger("test", "silent");

/** What commands need, unconfined and without a network. `dataDir` is the engine's folder, for tests whose commands use more than the workspace. */
export function commandHost(
  environment: Readonly<Record<string, string | undefined>> = {},
  dataDir = "/no/such/engine",
  network = new ToolNetwork({
    launch: { tool_network: "none", tool_listen: [] },
    logger: silent,
  }),
): CommandHost {
  const launcher = unlimitedLauncher(new DirectLauncher((asked) => network.access(asked)));
  return { environment, folders: engineFolders(dataDir), launcher, network };
}

/** Starts programs unconfined and without a network. */
export const directLauncher = (): DirectLauncher =>
  new DirectLauncher(() => Promise.resolve({ proxyPort: null, environment: {} }));

/** Starts programs that no limit ends. */
export const unlimitedLauncher = (launcher: ToolLauncher): LimitedLauncher =>
  new LimitedLauncher({
    launcher,
    limits: { maxProcesses: 0, memoryMb: 0 },
    cgroupFolders: [],
    disk: unlimitedDisk(),
    signalsOwnAlone: false,
    logger: silent,
  });

export const unlimitedDisk = (): DiskQuota =>
  new DiskQuota({ megabytes: 1_048_576, measure: async () => ({ bytes: 0, largest: 0 }), logger: silent });

/** What entries of a `.mcp.json` may refer to. */
export const entryContext = (variables: Readonly<Record<string, string>> = {}, dataDir?: string): EntryContext => ({
  variables,
  places: { folders: commandHost({}, dataDir).folders, read: [] },
});
