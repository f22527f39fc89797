import { engineFact } from "../../src/engine/tools/call-facts.ts";
import { factsOf } from "./engine-facts.ts";
import { DirectLauncher } from "../../src/sandbox/programs/direct-launcher.ts";
import { DiskQuota } from "../../src/sandbox/disk/disk-quota.ts";
import { LimitedLauncher } from "../../src/sandbox/programs/limited-launcher.ts";
import { engineFolders } from "../../src/engine/isolation/file-rules.ts";
import { openToolNetwork, sandboxHost } from "../../src/engine/isolation/sandbox-host.ts";
import type { ProgramLauncher } from "../../src/sandbox/programs/program-launcher.ts";
import type { EntryContext } from "../../src/engine/mcp/server-config.ts";
import type { CommandHost } from "../../src/engine/tools/command/run-command.ts";
import { ToolSecrets } from "../../src/engine/secrets/tool-secrets.ts";
import { createLogger } from "../../src/shared/logger.ts";

const silent = createLogger("test", "silent");

/** What commands need, unconfined and without a network. `dataDir` is the engine's folder, for tests whose commands use more than the workspace. */
export function commandHost(
  environment: Readonly<Record<string, string | undefined>> = {},
  dataDir = "/no/such/engine",
  network = openToolNetwork({ launch: { tool_network: "none", tool_listen: [] }, logger: silent }),
): CommandHost {
  const launcher = unlimitedLauncher(new DirectLauncher((asked) => network.access(asked)));
  const [folders, outside] = [engineFolders(dataDir), network.rules];
  return { environment, folders, launcher, network, outside, secrets: new ToolSecrets(null) };
}

/** Starts programs unconfined and without a network. */
export const directLauncher = (): DirectLauncher =>
  new DirectLauncher(() => Promise.resolve({ proxyPort: null, environment: {} }));

/** Starts programs that no limit ends. */
export const unlimitedLauncher = (launcher: ProgramLauncher): LimitedLauncher =>
  new LimitedLauncher({
    launcher,
    limits: { maxProcesses: 0, memoryMb: 0 },
    cgroupFolders: [],
    disk: unlimitedDisk(),
    signalsOwnAlone: false,
    host: sandboxHost(silent),
  });

export const unlimitedDisk = (): DiskQuota => diskOf({ megabytes: 1_048_576 });

/** A quota of a disk that is never full. `measured` is called for each measure. */
export const diskOf = ({
  megabytes,
  measured = () => undefined,
}: {
  readonly megabytes: number;
  readonly measured?: () => void;
}): DiskQuota =>
  new DiskQuota({
    megabytes,
    reserveMegabytes: 0,
    async measure() {
      measured();
      return { bytes: 0, largest: 0, hasHidden: null, failure: null };
    },
    space: () => ({ free: 2 ** 40, availableBytes: 2 ** 40 }),
    logger: silent,
  });

/** What entries of a `.mcp.json` may refer to. */
export const entryContext = (
  variables: Readonly<Record<string, string>> = {},
  dataDir?: string,
  engine = factsOf("anna"),
): EntryContext => ({
  variables,
  factOf: (name) => engineFact(engine, name),
  places: { folders: commandHost({}, dataDir).folders, read: [] },
});
