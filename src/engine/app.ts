import { mkdirSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { DEFAULT_AGENT } from "../contract/engine-api.ts";
import type { EngineStatus } from "../contract/engine-control.ts";
import type { EngineLaunch } from "../contract/engine-launch.ts";
import { delay } from "../kit/clock.ts";
import { collectGarbage } from "../kit/collect-garbage.ts";
import { type Logger, createLogger } from "../kit/logger.ts";
import { createAgentLoop } from "./agent/agent-loop.ts";
import { createRecall } from "./agent/recall.ts";
import { createCompactor } from "./agent/compaction.ts";
import { stateOutside } from "./agent/state-outside.ts";
import { catalogProfiles } from "./agent/agent-profiles.ts";
import { DELEGATE } from "./agent/delegate-tool.ts";
import { createDelegation } from "./agent/delegation.ts";
import { LiveCatalog } from "./catalog/live-catalog.ts";
import type { EngineConfig } from "./config.ts";
import type { EngineApp } from "./engine-app.ts";
import { EngineError } from "./engine-error.ts";
import { AcceptedKeys } from "./http/accepted-keys.ts";
import { STREAM_LIMITS } from "./http/event-stream.ts";
import { createRoutes } from "./http/routes.ts";
import { contextWindow, outputTokensWithin } from "./model/context-window.ts";
import { type EngineProvider, createProvider } from "./model/create-provider.ts";
import { CompactionTable } from "./store/compactions.ts";
import { openServers } from "./servers/open-servers.ts";
import type { ToolServers } from "./servers/tool-servers.ts";
import { Embeddings } from "./memory/embeddings.ts";
import { FullTextIndex } from "./memory/memory-index.ts";
import { learningTables } from "./memory/learning-tables.ts";
import { MemoryLists } from "./memory/memory-lists.ts";
import { MemoryRights } from "./memory/memory-rights.ts";
import { MemorySearch } from "./memory/memory-search.ts";
import { rebuildIndex } from "./memory/rebuild-index.ts";
import { MemoryRecord } from "./memory/record.ts";
import { WholeItems } from "./memory/whole-item.ts";
import { WriteLane } from "./memory/write-lane.ts";
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
import { pruneOutputs } from "./tools/prune-outputs.ts";
import { joinedRegistry } from "./tools/registry.ts";
import type { EventJournal } from "./turns/event-journal.ts";
import { HitlDesk } from "./turns/hitl-desk.ts";
import { openJournal } from "./turns/open-journal.ts";
import { TaskSlots } from "./turns/task-slots.ts";
import { TurnRunner } from "./turns/turn-runner.ts";
import { openLearning } from "./upkeep/open-learning.ts";

const CHANNEL_TTL_MS = 900_000;
const TOOL_TIMEOUT_MS = 120_000;
const MAX_OUTPUT_TOKENS = 16_000;
/** Of the agent's own notes, in what stands for a conversation that was summarised. */
const NOTES_SHOWN = 30;
const EVENTS_KEPT = 200_000;
const EVENTS_KEPT_MS = 24 * 3600 * 1000;
/** How long the processes of tools have to be gone when the engine stops. */
const TOOLS_GONE_MS = 2500;
/** How long a batch has to come to the end of what it is writing. */
const LEARNT_MS = 2000;
/** How long turns that go on after a restart wait for the tool servers they may have been using. */
const SERVERS_CONNECTED_MS = 15_000;
const PRUNE_EVERY_MS = 600_000;
/** Long enough for the other engines of a busy host to be healthy first. */
const LOAD_PROVIDER_AFTER_MS = 1000;

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
  const lane = new WriteLane(store);
  const index = new FullTextIndex(store);
  const rights = new MemoryRights({
    store,
    workspaceDir,
    lane,
    reindex: () => rebuildIndex(store, { lane, index }),
    lastEvent: () => journal.last,
  });
  if (await rights.finishErasure()) logger.warn("an erasure that was cut off has been brought to its end");
  const journal = openJournal(new EventTable(store), { slots, logger });
  const desk = new HitlDesk(new HitlTable(store), journal, { ttlMs: config.hitlTtlMs });
  const messages = new MessageTable(store);
  const grants = new GrantTable(store);
  const plans = new PlanTable(store);
  const modelProvider = createProvider(config, { extraCaCerts: launch.extra_ca_certs, logger });
  const { embedder } = modelProvider;
  const embeddings = embedder && new Embeddings({ store, lane, embedder, logger });
  const memorySearch = new MemorySearch(store, embeddings?.near);
  const memory = { search: memorySearch, whole: new WholeItems(store) };
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
    models: { main: config.model, planner: config.plannerModel, light: config.lightModel },
    userId: launch.user_id,
    product: launch.product,
  });
  const workingMemory = new WorkingMemoryTable(store);
  const agentParts = {
    provider: modelProvider,
    maxOutputTokens: outputTokensWithin(contextWindow(config.model, config.contextWindow), MAX_OUTPUT_TOKENS),
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
  const window = contextWindow(config.model, config.contextWindow);
  const runAgent = createAgentLoop({
    ...agentParts,
    recall: createRecall({ search: memorySearch, window, logger }),
    tools: { ...agentParts.tools, delegate: createDelegation(agentParts, profiles) },
    profiles: profiles.ofAgent,
  });
  setTimeout(() => void loadNow(modelProvider, { slots, logger }), LOAD_PROVIDER_AFTER_MS).unref();
  const { learning, skills } = openLearning({
    tables: learningTables(store),
    lane,
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
  const record = new MemoryRecord(store, index);
  const runner = new TurnRunner({
    journal,
    desk,
    slots,
    turns: new TurnTable(store),
    messages,
    toolCalls: new ToolCallTable(store),
    compactions: new CompactionTable(store),
    memory: {
      note: (entry) => record.note(entry),
      round: (ended) => {
        record.round(ended);
        learning.turnEnded();
      },
    },
    runAgent,
    logger,
  });
  runner.recover(() => connected(toolServers.servers));
  void goOnImporting(rights, logger);
  const idempotency = new IdempotencyTable(store);
  const pruneFiles = () =>
    pruneOutputs({ workspaceDir, runningSince: slots.all().map(({ startedAt }) => startedAt), logger });
  void pruneFiles();
  const pruning = setInterval(() => {
    prune({ journal, idempotency, logger });
    void pruneFiles();
  }, PRUNE_EVERY_MS).unref();
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
    status,
    hasAgent: (name) => catalog.catalog.agents.has(name),
    catalog,
    servers: toolServers.servers,
    memoryLists: new MemoryLists(store),
    memorySearch,
    learning,
    skills,
    memoryFile: {
      rights,
      learning,
      owner: { engine_id: launch.engine_id, user_id: launch.user_id, product: launch.product },
    },
    limits: STREAM_LIMITS,
    logger,
  });
  return {
    answer: (request, response) => void routes(request, response),
    vitals: () => ({ ...vitals(), core_soul_hash: catalog.soul.hash }),
    async drain(deadlineMs) {
      const end = Date.now() + deadlineMs;
      const learnt = learning.close();
      for (runner.park(); runner.busy > 0 && Date.now() < end; runner.park()) await delay(20);
      runner.parkAll();
      const gone = Date.now() + TOOLS_GONE_MS;
      while (!runner.idle && Date.now() < gone) await delay(5);
      await toolServers.servers.close();
      await Promise.race([learnt, delay(LEARNT_MS)]);
      await rights.close(
        new EngineError("ENGINE_DRAINING", "the engine stops; it goes on with what it has read whole"),
      );
      clearInterval(pruning);
      await embeddings?.close();
    },
  };
}

/** With a file that a process before this one had read whole. */
async function goOnImporting(rights: MemoryRights, logger: Logger): Promise<void> {
  try {
    const done = await rights.resumeImport();
    if (done.kind === "done" && done.answer !== null) logger.warn(done.answer, "an import that was cut off is done");
  } catch (error) {
    logger.error({ err: error }, "an import that was cut off cannot go on now; the next start tries again");
  }
}

/** When each tool server has been reached or has failed, or has had its time. */
async function connected(servers: ToolServers): Promise<void> {
  const end = Date.now() + SERVERS_CONNECTED_MS;
  const isConnecting = () => servers.list().servers.some(({ status }) => status === "connecting");
  while (isConnecting() && Date.now() < end) await delay(50);
}

/** An upgrade replaces the installation under a running engine: nothing may be left to be read from it later. */
async function loadNow(
  provider: EngineProvider,
  { slots, logger }: { readonly slots: TaskSlots; readonly logger: Logger },
): Promise<void> {
  try {
    await provider.load();
    // The next engine on this host takes the compiled code instead of compiling: half the memory of loading.
    flushCompileCache();
    if (slots.size === 0) collectGarbage();
    logger.debug({ provider: provider.name }, "provider loaded");
  } catch (error) {
    logger.warn(
      { err: error, provider: provider.name },
      "the provider could not be loaded; its first call tries again",
    );
  }
}

function prune({
  journal,
  idempotency,
  logger,
}: {
  journal: EventJournal;
  idempotency: IdempotencyTable;
  logger: Logger;
}): void {
  const before = Date.now() - EVENTS_KEPT_MS;
  try {
    journal.prune(before, EVENTS_KEPT);
    idempotency.prune(before);
  } catch (error) {
    logger.error({ err: error }, "old events could not be dropped");
  }
}
