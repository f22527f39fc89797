import type { EngineLaunch } from "../../contract/engine-launch.ts";
import type { Logger } from "../../shared/logger.ts";
import type { ToolNetwork } from "../isolation/network/tool-network.ts";
import { commandEnvironment } from "../tools/command/command-environment.ts";
import { type PinsTable, pinnedDefinitions } from "./pinned-definitions.ts";
import { type InvalidServer, NO_SERVERS, parseToolServers } from "./server-config.ts";
import { serverEnvironment } from "./server-environment.ts";
import { ToolServers } from "./tool-servers.ts";

export interface OpenedServers {
  readonly servers: ToolServers;
  /** Validates the text of a `.mcp.json` without applying it; `count` is the number of valid servers. */
  readonly check: (text: string) => {
    readonly count: number;
    readonly problems: readonly Pick<InvalidServer, "path" | "message">[];
  };
  /** Applies the text of a `.mcp.json` in the background; null without one. Unchanged servers keep running. */
  readonly apply: (text: string | null) => void;
}

/** The tool servers of an engine; none is started. */
export function openServers({
  launch,
  workspaceDir,
  environment,
  network,
  pins,
  logger,
}: {
  readonly launch: Pick<EngineLaunch, "product" | "user_id" | "data_dir" | "extra_ca_certs">;
  readonly workspaceDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly network: ToolNetwork;
  readonly pins: PinsTable;
  readonly logger: Logger;
}): OpenedServers {
  const inherited = commandEnvironment(environment, workspaceDir);
  const { PATH = "", HOME = "", LANG = "", TZ = "" } = inherited;
  // The only variables `.mcp.json` may reference: the rest of the environment holds secrets.
  const facts = { ORCH_PRODUCT: launch.product, ORCH_USER_ID: launch.user_id, ORCH_WORKSPACE: workspaceDir };
  const variables = { PATH, HOME, LANG, TZ, ...facts };
  const servers = new ToolServers({
    pins: pinnedDefinitions(pins),
    workspaceDir,
    environment: serverEnvironment(inherited, { dataDir: launch.data_dir, extraCaCerts: launch.extra_ca_certs }),
    networkEnvironment: async () => (await network.access()).environment,
    logger,
  });
  return {
    servers,
    check(text) {
      const { servers: usable, errors } = parseToolServers(text, variables);
      return { count: usable.length, problems: errors.map(({ path, message }) => ({ path, message })) };
    },
    apply(text) {
      servers
        .reload(text === null ? NO_SERVERS : parseToolServers(text, variables))
        .catch((error: unknown) => logger.error({ err: error }, "failed to apply .mcp.json"));
    },
  };
}
