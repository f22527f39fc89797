import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { EngineLaunch } from "../../contract/engine/launch.ts";
import { lazily } from "../../shared/lazily.ts";
import type { Logger } from "../../shared/logger.ts";
import { readableProgramPath } from "../../sandbox/programs.ts";
import { commandEnvironment } from "../tools/command/command-environment.ts";
import type { CommandHost } from "../tools/command/run-command.ts";
import type { IdentitySource } from "../tools/web/identity-source.ts";
import { type EngineFacts, engineFact } from "../tools/call-facts.ts";
import { type ServerCheck, checkServers } from "./check-servers.ts";
import { mergeServers } from "./merge-servers.ts";
import { type EntryContext, parseToolServers } from "./server-config.ts";
import type { KnownServers } from "./known-servers.ts";
import type { PinnedDefinitions } from "./tool-definition.ts";
import { ToolServers } from "./tool-servers.ts";

interface OpenedServers {
  readonly servers: ToolServers;
  /** Validates texts of `.mcp.json` without applying them. A later one overrides those before it. */
  readonly check: ServerCheck;
  /** Applies texts of `.mcp.json` in the background. Unchanged servers keep running. */
  readonly apply: (texts: readonly string[]) => void;
}

type Environment = Readonly<Record<string, string>>;

/** The tool servers of an engine; none is started. */
export function openServers({
  launch,
  engine,
  commands: { environment, folders, launcher, network, outside, secrets },
  identity,
  pins,
  known,
  logger,
}: {
  readonly launch: Pick<EngineLaunch, "product" | "user_id" | "extra_ca_certs" | "isolation" | "broker">;
  readonly engine: EngineFacts;
  readonly commands: CommandHost;
  readonly identity: IdentitySource;
  readonly pins: PinnedDefinitions;
  readonly known: KnownServers;
  readonly logger: Logger;
}): OpenedServers {
  const inherited = commandEnvironment(environment, folders);
  const { PATH = "", HOME = "", LANG = "", TZ = "" } = inherited;
  // The only variables `.mcp.json` may reference: the rest of the environment holds secrets.
  const workspaceDir = folders.workspace;
  const facts = { ORCH_PRODUCT: launch.product, ORCH_USER_ID: launch.user_id, ORCH_WORKSPACE: workspaceDir };
  const variables = { PATH, HOME, LANG, TZ, ...facts };
  const factOf = (name: string) => engineFact(engine, name);
  const context: EntryContext = { variables, factOf, places: { folders, read: launch.isolation.read } };
  const { isolation, extra_ca_certs: extraCaCerts } = launch;
  // With the first local server: it reads many folders, and each boot would wait for it.
  const serversEnvironment = lazily(() => {
    const programPath = isolation.tools ? readableProgramPath(PATH, isolation.read) : PATH;
    return serverEnvironment({ ...inherited, PATH: programPath }, { extraCaCerts });
  });
  const servers = new ToolServers({
    pins,
    known,
    workspaceDir,
    environment: serversEnvironment,
    launcher,
    secrets,
    proxyPort: async (asked) => (await network.access(asked)).proxyPort,
    outside,
    // A login has no address to come back to.
    broker: launch.broker === undefined || launch.broker.no_public_url === true ? null : launch.broker,
    identity,
    logger,
  });
  return {
    servers,
    check: checkServers(context),
    apply(texts) {
      const config = mergeServers(texts.map((text) => parseToolServers(text, context)));
      for (const server of config.servers) {
        if (!launch.isolation.tools && "sandbox" in server && Object.keys(server.sandbox).length > 0)
          logger.warn({ tool_server: server.name }, "ignored the sandbox of a tool server: tools are not isolated");
      }
      servers.reload(config).catch((error: unknown) => logger.error({ err: error }, "failed to apply .mcp.json"));
    },
  };
}

/** Environment of local tool servers: that of commands, and the host's configuration of package runners. */
export function serverEnvironment(
  command: Environment,
  { extraCaCerts }: { readonly extraCaCerts: string | null },
): Record<string, string> {
  const npmrc = hostNpmrc(command["PATH"] ?? "");
  return {
    ...command,
    npm_config_update_notifier: "false",
    ...(npmrc !== null && { npm_config_globalconfig: npmrc }),
    // What tools trust has them too.
    ...(extraCaCerts !== null && command["NODE_EXTRA_CA_CERTS"] === undefined && { NODE_EXTRA_CA_CERTS: extraCaCerts }),
  };
}

/**
 * The global npmrc of the npm on PATH, null without one. npm looks for it next to the Node.js that runs it, which may
 * be the daemon's own rather than the one npm was installed with.
 */
function hostNpmrc(path: string): string | null {
  const folder = path.split(delimiter).find((one) => one.startsWith("/") && existsSync(join(one, "npm")));
  if (folder === undefined) return null;
  const npmrc = join(dirname(realpathSync(folder)), "etc/npmrc");
  return existsSync(npmrc) ? npmrc : null;
}
