import { join } from "node:path";
import { isEngineTool } from "../../contract/engine/tool-names.ts";
import type { EngineLaunch, ProductCatalog } from "../../contract/engine/launch.ts";
import type { Logger } from "../../shared/logger.ts";
import { catalogProfiles } from "../agent/agent-profiles.ts";
import { AllowedAgentsAndTools } from "../agent/allowed-agents-and-tools.ts";
import { shownServers } from "../agent/shown-servers.ts";
import { LiveCatalog } from "../catalog/live-catalog.ts";
import { NO_CATALOGS, productVersion } from "../catalog/product-version.ts";
import { readModelName } from "../../contract/settings/model-name.ts";
import type { EngineConfig } from "../config.ts";
import type { Workspace } from "../isolation/open-workspace.ts";
import type { LiveKnowledge } from "../knowledge/live-knowledge.ts";
import { openServers } from "../mcp/open-servers.ts";
import type { Memory } from "../memory/open-memory.ts";
import { windowsOf } from "../model/context-window.ts";
import { toolLimits } from "../model/wire/wire-tools.ts";
import type { BrokerEgress } from "../secrets/broker-egress.ts";
import type { ToolSecrets } from "../secrets/tool-secrets.ts";
import type { Store } from "../store/open-store.ts";
import { rankByWords } from "../store/word-index.ts";
import { PlanTable } from "../store/plans.ts";
import { toolServerTables } from "../store/tool-server-table.ts";
import { type AttachmentFolder, createResultFiles } from "../tools/attachments/call-files.ts";
import { builtInTools } from "../tools/built-in-tools.ts";
import type { Checkpoints } from "../tools/call-checkpoint.ts";
import { createToolExecutor } from "../tools/execute.ts";
import type { Publisher } from "../tools/publish-file.ts";
import { joinedRegistry } from "../tools/registry.ts";
import { RunningCalls } from "../tools/running-calls.ts";
import { openIdentity } from "./open-identity.ts";

const TOOL_TIMEOUT_MS = 120_000;

/** The tools of an engine: built in, of the catalog and of tool servers; who may call them, and what runs them. */
export async function openTools({
  launch,
  config,
  store,
  environment,
  workspace: { folders, launcher, network, disk },
  secrets,
  egress,
  attachments,
  checkpoints,
  publisher,
  memory,
  knowledge,
  logger,
}: {
  readonly launch: EngineLaunch;
  readonly config: EngineConfig;
  readonly store: Store;
  readonly environment: NodeJS.ProcessEnv;
  readonly workspace: Workspace;
  readonly secrets: ToolSecrets;
  /** Null: what goes outside goes directly. */
  readonly egress: BrokerEgress | null;
  readonly attachments: AttachmentFolder;
  readonly checkpoints: Checkpoints;
  readonly publisher: Publisher;
  readonly memory: Memory;
  readonly knowledge: LiveKnowledge;
  readonly logger: Logger;
}) {
  const { product, user_id: userId, product_catalog: productCatalog } = launch;
  const outside = { addressesOf: network.rules.addressesOf.bind(network.rules), route: egress?.route };
  const engine = { userId, engineId: launch.engine_id, metadata: launch.metadata ?? {} };
  const commands = { environment, folders, launcher, network, outside, secrets };
  const identity = openIdentity(launch);
  const plans = new PlanTable(store);
  const builtIn = builtInTools({ commands, plans, publisher, memory });
  const { servers, check, apply } = openServers({
    launch,
    engine,
    commands,
    identity,
    ...toolServerTables(store),
    logger,
  });
  const catalog = await LiveCatalog.open({
    folder: join(launch.data_dir, "catalog"),
    product: productVersion(productCatalog, productCatalog),
    checkServers: check,
    onServers: apply,
    commands,
    engine,
    identity,
    logger,
  });
  const { provider, model: main, plannerModel: planner, lightModel: light } = config;
  const windowOf = windowsOf(config);
  const registry = joinedRegistry([{ tools: () => builtIn }, knowledge, catalog, servers]);
  const allowed = new AllowedAgentsAndTools(launch.allowed);
  const profiles = catalogProfiles({
    now: () => catalog,
    registry,
    allowed,
    toolLimits: (model) => toolLimits(readModelName(model, provider), windowOf(model), config.toolsShare),
    rankByWords,
    models: { main, planner, light },
    userId,
    product,
  });
  const running = new RunningCalls();
  const filesOf = createResultFiles(attachments);
  return {
    catalog,
    profiles,
    allowed,
    setAllowed: allowed.setPolicy.bind(allowed),
    plans,
    running,
    execute: running.counted(createToolExecutor({ timeoutMs: TOOL_TIMEOUT_MS, disk, filesOf, checkpoints, logger })),
    toolsReady: servers.toolsReady.bind(servers),
    setCatalog: (version: Pick<ProductCatalog, "version" | "digest">) =>
      catalog.setProduct(productVersion(productCatalog ?? NO_CATALOGS, version)),
    hasTool: (name: string) => isEngineTool(name) || registry().get(name) !== undefined,
    agents: () =>
      [...allowed.agentsOf(catalog.catalog).agents.values()].map(({ name, description }) => ({ name, description })),
    catalogSkills: () => [...catalog.catalog.skills.values()].map(({ name, description }) => ({ name, description })),
    hasAgent: (name: string) => catalog.catalog.agents.has(name),
    servers: {
      list: () => shownServers(servers.list(), { profiles, allowed, provider }),
      allow: servers.allow.bind(servers),
      loginTargets: servers.loginTargets.bind(servers),
      signedIn: servers.signedIn.bind(servers),
    },
    close: () => servers.close(),
  };
}
export type EngineTools = Awaited<ReturnType<typeof openTools>>;
