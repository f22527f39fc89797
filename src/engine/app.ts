import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_AGENT } from "../contract/engine-api.ts";
import type { EngineStatus } from "../contract/engine-control.ts";
import type { EngineLaunch } from "../contract/engine-launch.ts";
import { delay } from "../shared/clock.ts";
import { createLogger } from "../shared/logger.ts";
import { createAgentLoop } from "./agent/agent-loop.ts";
import { createRecall } from "./agent/recall.ts";
import { createCompactor } from "./agent/compaction.ts";
import { shownServers } from "./agent/shown-servers.ts";
import { stateOutside } from "./agent/state-outside.ts";
import { catalogProfiles } from "./agent/agent-profiles.ts";
import { DELEGATE } from "./agent/delegate-tool.ts";
import { createDelegation } from "./agent/delegation.ts";
import { LiveCatalog } from "./catalog/live-catalog.ts";
import type { EngineConfig } from "./config.ts";
import type { EngineApp } from "./engine-app.ts";
import { EngineError } from "./engine-error.ts";
import { AcceptedKeys } from "./turns/accepted-keys.ts";
import { STREAM_LIMITS } from "./http/event-stream.ts";
import { createRoutes } from "./http/routes.ts";
import { startMaintenance } from "./maintenance.ts";
import { openMemory } from "./memory/open-memory.ts";
import { contextWindow, outputTokensWithin } from "./model/context-window.ts";
import { createProvider } from "./model/create-provider.ts";
import { adaptedTools, toolLimits } from "./model/tool-limits.ts";
import { CompactionTable } from "./store/compactions.ts";
import { openServers } from "./mcp/open-servers.ts";
import type { ToolServers } from "./mcp/tool-servers.ts";
import { EventTable } from "./store/events.ts";
import { GrantTable } from "./store/grants.ts";
import { HitlTable } from "./store/hitl-requests.ts";
import { IdempotencyTable } from "./store/idempotency-keys.ts";
import { MessageTable } from "./store/messages.ts";
import type { Store } from "./store/open-store.ts";
import { PlanTable } from "./store/plans.ts";
import { ToolCallTable } from "./store/tool-calls.ts";
import { ToolDefinitionTable } from "./store/tool-definitions.ts";
import { TurnTable } from "./store/turns.ts";
import { WorkingMemoryTable } from "./store/working-memory.ts";
import type { Grant } from "./tools/authorize.ts";
import { builtInTools } from "./tools/built-in-tools.ts";
import { createToolExecutor } from "./tools/execute.ts";
import { joinedRegistry } from "./tools/registry.ts";
import { HumanRequests } from "./turns/human-requests.ts";
import { openJournal } from "./turns/open-journal.ts";
import { TaskSlots } from "./turns/task-slots.ts";
import { TurnRunner } from "./turns/turn-runner.ts";
import { openLearning } from "./learning/open-learning.ts";

const CHANNEL_TTL_MS = 900_000;
const TOOL_TIMEOUT_MS = 120_000;
const MAX_OUTPUT_TOKENS = 16_000;
/** Of the agent's own notes, in what stands for a conversation that was summarised. */
const NOTES_SHOWN = 30;
/** How long the processes of tools have to be gone when the engine stops. */
const TOOLS_GONE_MS = 2500;
/** How long a batch has to come to the end of what it is writing. */
const LEARNT_MS = 2000;
/** How long turns that go on after a restart wait for the tool servers they may have been using. */
const SERVERS_CONNECTED_MS = 15_000;

/** Everything of an engine but its `/health`: loaded after that has been answered. */
export async function createApp({
  launch,
  config,
  store,
  environment,
}: {
  launch: EngineLaunch;
  config: EngineConfig;
  store: Store;
  environment: NodeJS.ProcessEnv;
}): Promise<EngineApp> {
  const logger = createLogger("engine", config.logLevel);
  const reset = store.reset.current;
  if (store.reset.isNew) logger.error({ ...reset }, "the store was damaged and was set aside; a new one is begun");
  const workspaceDir = join(launch.data_dir, "workspace");
  mkdirSync(workspaceDir, { recursive: true });
  const slots = new TaskSlots(CHANNEL_TTL_MS);
  const modelProvider = createProvider(config, { extraCaCerts: launch.extra_ca_certs, logger });
  const { embedder } = modelProvider;
  const memory = await openMemory({ store, workspaceDir, embedder, lastEvent: () => journal.last, logger });
  const journal = openJournal(new EventTable(store), { slots, logger });
  const desk = new HumanRequests(new HitlTable(store), journal, { ttlMs: config.hitlTtlMs });
  const messages = new MessageTable(store);
  const grants = new GrantTable(store);
  const plans = new PlanTable(store);
  const builtIn = builtInTools({ environment, plans, memory });
  const toolServers = openServers({ launch, workspaceDir, environment, pins: new ToolDefinitionTable(store), logger });
  const catalogFolder = join(launch.data_dir, "catalog");
  const catalog = await LiveCatalog.open({
    folder: catalogFolder,
    isReserved: (name) => name === DELEGATE || builtIn.some((tool) => tool.name === name),
    checkServers: toolServers.check,
    onServers: toolServers.take,
    environment,
    logger,
  });
  const profiles = catalogProfiles({
    now: () => catalog,
    registry: joinedRegistry([{ tools: () => builtIn }, catalog, toolServers.servers]),
    toolLimits: (of) => toolLimits({ provider: config.provider, model: of }, contextWindow(of, config.contextWindow)),
    models: { main: config.model, planner: config.plannerModel, light: config.lightModel },
    userId: launch.user_id,
    product: launch.product,
  });
  const workingMemory = new WorkingMemoryTable(store);
  const window = contextWindow(config.model, config.contextWindow);
  const agentParts = {
    provider: modelProvider,
    maxOutputTokens: outputTokensWithin(window, MAX_OUTPUT_TOKENS),
    compactor: createCompactor({
      provider: modelProvider,
      lightModel: config.lightModel,
      window: config.contextWindow,
      reactive: config.reactiveCompact,
      state: (taskId) =>
        stateOutside({
          plan: plans.ofTask(taskId),
          notes: workingMemory.ofTask(taskId, NOTES_SHOWN),
          questions: desk.pending().filter((one) => one.task_id === taskId),
        }),
      logger,
    }),
    tools: {
      execute: createToolExecutor({ timeoutMs: TOOL_TIMEOUT_MS, logger }),
      concurrency: config.toolConcurrency,
      workspaceDir,
      grants: {
        ofTask: (taskId: string) => grants.ofTask(taskId),
        add: (grant: Grant) => grants.insert(grant, Date.now()),
      },
    },
  };
  const runAgent = createAgentLoop({
    ...agentParts,
    recall: createRecall({ search: memory.search, window, logger }),
    tools: { ...agentParts.tools, delegate: createDelegation(agentParts, profiles) },
    profiles: profiles.ofAgent,
  });
  const { learning, skills } = openLearning({
    tables: memory.tables,
    lane: memory.lane,
    provider: modelProvider,
    models: { light: config.lightModel, main: config.model },
    catalog,
    catalogFolder,
    instructions: () => {
      const { system, registry } = profiles.ofAgent(DEFAULT_AGENT);
      return [system, ...registry.tools.map(({ description }) => description)];
    },
    isBusy: () => slots.size > 0,
    logger,
  });
  const runner = new TurnRunner({
    journal,
    desk,
    slots,
    turns: new TurnTable(store),
    messages,
    toolCalls: new ToolCallTable(store),
    compactions: new CompactionTable(store),
    memory: {
      note: (entry) => memory.record.note(entry),
      round: (ended) => {
        memory.record.round(ended);
        learning.turnEnded();
      },
    },
    runAgent,
    logger,
  });
  runner.recover(() => connected(toolServers.servers));
  const idempotency = new IdempotencyTable(store);
  const endHousekeeping = startMaintenance({
    provider: modelProvider,
    slots,
    journal,
    idempotency,
    workspaceDir,
    logger,
  });
  const vitals = () => ({ active_turns: slots.size, pending_hitl: desk.waiting, streams: journal.readerCount() });
  const status = (): EngineStatus => ({
    ...vitals(),
    ...(runner.draining && { active_turns: runner.busy }),
    draining: runner.draining,
    last_active_at: journal.lastActiveAt,
  });
  const keys = new AcceptedKeys(launch.keys);
  const { provider, model } = config;
  logger.info({ engine_id: launch.engine_id, incarnation: launch.incarnation, provider, model }, "engine serves turns");
  const routes = createRoutes({
    runner,
    journal,
    desk,
    idempotency,
    keys,
    controlToken: launch.control_token,
    host: launch.host,
    documentsDir: join(import.meta.dirname, "documents/engine"),
    status,
    hasAgent: (name) => catalog.catalog.agents.has(name),
    catalog,
    servers: {
      list() {
        const { model: shownTo, registry } = profiles.ofAgent(DEFAULT_AGENT);
        const adapted = adaptedTools(registry.modelTools, { provider, model: shownTo });
        const { servers, ...rest } = toolServers.servers.list();
        return { servers: shownServers(servers, { leftOut: profiles.leftOut(DEFAULT_AGENT), adapted }), ...rest };
      },
      allow: (server, wish) => toolServers.servers.allow(server, wish),
    },
    memoryLists: memory.lists,
    memorySearch: memory.search,
    learning,
    skills,
    memoryFile: {
      portability: memory.portability,
      learning,
      owner: { engine_id: launch.engine_id, user_id: launch.user_id, product: launch.product },
    },
    limits: STREAM_LIMITS,
    logger,
  });
  return {
    answer: (request, response) => void routes(request, response),
    vitals: () => ({ ...vitals(), core_soul_hash: catalog.soul.hash, model: modelProvider.health() }),
    async drain(deadlineMs) {
      const end = Date.now() + deadlineMs;
      const learnt = learning.close();
      for (runner.park(); runner.busy > 0 && Date.now() < end; runner.park()) await delay(20);
      runner.parkAll();
      const gone = Date.now() + TOOLS_GONE_MS;
      while (!runner.idle && Date.now() < gone) await delay(5);
      await toolServers.servers.close();
      await Promise.race([learnt, delay(LEARNT_MS)]);
      await memory.close(
        new EngineError("ENGINE_DRAINING", "the engine stops; it goes on with what it has read whole"),
      );
      endHousekeeping();
    },
  };
}

/** When each tool server has been reached or has failed, or has had its time. */
async function connected(servers: ToolServers): Promise<void> {
  const end = Date.now() + SERVERS_CONNECTED_MS;
  const isConnecting = () => servers.list().servers.some(({ status }) => status === "connecting");
  while (isConnecting() && Date.now() < end) await delay(50);
}
