import { join } from "node:path";
import { isControlPath } from "../contract/engine-control.ts";
import type { EngineLaunch } from "../contract/engine-launch.ts";
import { delay } from "../shared/clock.ts";
import { createLogger } from "../shared/logger.ts";
import { catalogProfiles } from "./agent/agent-profiles.ts";
import { stateSections } from "./agent/compaction-text.ts";
import { shownServers } from "./agent/shown-servers.ts";
import { LiveCatalog } from "./catalog/live-catalog.ts";
import { NO_CATALOGS, productVersion } from "./catalog/product-version.ts";
import type { EngineConfig } from "./config.ts";
import type { EngineApp } from "./engine-app.ts";
import { EngineError } from "./engine-error.ts";
import { engineReport } from "./engine-report.ts";
import { STREAM_LIMITS } from "./http/event-stream.ts";
import { createRoutes } from "./http/routes.ts";
import { createToolLauncher } from "./isolation/create-tool-launcher.ts";
import { engineFolders } from "./isolation/file-rules.ts";
import { ToolNetwork } from "./isolation/network/tool-network.ts";
import { createDiskReport } from "./isolation/limits/disk-report.ts";
import { limitTools } from "./isolation/limits/limit-tools.ts";
import { programDir } from "./isolation/program-dir.ts";
import { makeToolFolders } from "./isolation/tool-folders.ts";
import { openAgent } from "./open-agent.ts";
import { openLearning } from "./learning/open-learning.ts";
import { startMaintenance } from "./maintenance.ts";
import { awaitConnected } from "./mcp/await-connected.ts";
import { openServers } from "./mcp/open-servers.ts";
import { openMemory } from "./memory/open-memory.ts";
import { contextWindow } from "./model/context-window.ts";
import { createProvider } from "./model/create-provider.ts";
import { toolLimits } from "./model/wire/wire-tools.ts";
import { openRequests } from "./requests/open-requests.ts";
import { Wakefulness, type WakefulnessParts } from "./sleep/wakefulness.ts";
import { AttachmentNames } from "./store/attachment-names.ts";
import { CompactionTable } from "./store/compactions.ts";
import { EventTable } from "./store/events.ts";
import { GrantTable } from "./store/grants.ts";
import { HitlTable } from "./store/hitl-requests.ts";
import { IdempotencyTable } from "./store/idempotency-keys.ts";
import { MessageTable } from "./store/messages.ts";
import type { Store } from "./store/open-store.ts";
import { openTelemetry } from "./telemetry/open-telemetry.ts";
import { PlanTable } from "./store/plans.ts";
import { ToolCallTable } from "./store/tool-call-table.ts";
import { ToolDefinitionTable } from "./store/tool-definitions.ts";
import { TurnTable } from "./store/turns.ts";
import { WorkingMemoryTable } from "./store/working-memory.ts";
import { openAttachments } from "./tools/attachments/open-attachments.ts";
import { builtInTools } from "./tools/built-in-tools.ts";
import { createToolExecutor } from "./tools/execute.ts";
import { joinedRegistry } from "./tools/registry.ts";
import { RunningCalls } from "./tools/running-calls.ts";
import { AcceptedKeys } from "./turns/accepted-keys.ts";
import { openJournal } from "./turns/event-journal.ts";
import { HumanRequests } from "./turns/human-requests.ts";
import { TurnList } from "./turns/turn-list.ts";
import { TaskSlots } from "./turns/task-slots.ts";
import { TurnRunner } from "./turns/turn-runner.ts";
import { openUsage } from "./usage/open-usage.ts";

const CHANNEL_TTL_MS = 900_000;
const TOOL_TIMEOUT_MS = 120_000;
/** Notes shown with a summarised conversation. */
const NOTES_SHOWN = 30;
/** Time for tool processes to exit when the engine stops. */
const TOOL_EXIT_MS = 2500;
/** Time for a learning batch to finish its current write. */
const LEARNING_CLOSE_MS = 2000;

/** The whole engine except its server and its store. */
export async function createApp({
  launch,
  config,
  store,
  environment,
  stopAccepting,
}: {
  launch: EngineLaunch;
  config: EngineConfig;
  store: Store;
  environment: NodeJS.ProcessEnv;
  stopAccepting: WakefulnessParts["stopAccepting"];
}): Promise<EngineApp> {
  const logger = createLogger("engine", config.logLevel);
  const reset = store.reset.current;
  if (store.reset.isNew) logger.error({ ...reset }, "the store was damaged and was set aside; created a new one");
  const observed = await openTelemetry(launch, logger);
  const { telemetry } = observed;
  const folders = engineFolders(launch.data_dir);
  makeToolFolders(folders, { logger });
  const { workspace: workspaceDir } = folders;
  const network = new ToolNetwork({ launch, logger });
  const unlimited = createToolLauncher({
    launch,
    folders,
    network: (asked) => network.access(asked),
    programDir: programDir(),
    logger,
  });
  const { launcher, disk } = limitTools({ launch, launcher: unlimited, logger });
  const commands = { environment, folders, launcher, network };
  const slots = new TaskSlots(CHANNEL_TTL_MS);
  const { filesOf, ...attachments } = openAttachments({ workspaceDir, disk, limits: launch.attachments });
  const { meter, budgets, calls: callMeter } = openUsage({ store, logger, budgets: launch.budgets });
  const { requests, table: requestTable } = openRequests({ store, config, launch, logger });
  const modelProvider = createProvider(config, {
    extraCaCerts: launch.extra_ca_certs,
    readAttachment: (file) => attachments.files.read(file),
    logger,
    telemetry,
    meter: callMeter,
    recorder: requests,
  });
  const { embedder } = modelProvider;
  const memory = await openMemory({ store, workspaceDir, embedder, lastEvent: () => journal.last, logger });
  const journal = openJournal(new EventTable(store), { slots, logger });
  const humanRequests = new HumanRequests(new HitlTable(store), journal, { ttlMs: config.hitlTtlMs });
  const messages = new MessageTable(store);
  const plans = new PlanTable(store);
  const builtIn = builtInTools({ commands, plans, memory });
  const toolServers = openServers({ launch, commands, pins: new ToolDefinitionTable(store), logger });
  const catalogFolder = join(launch.data_dir, "catalog");
  const catalog = await LiveCatalog.open({
    folder: catalogFolder,
    product: productVersion(launch.product_catalog, launch.product_catalog),
    checkServers: toolServers.check,
    onServers: toolServers.apply,
    commands,
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
  const calls = new RunningCalls();
  const runAgent = openAgent({
    provider: modelProvider,
    config,
    profiles,
    state: (taskId) =>
      stateSections({
        plan: plans.ofTask(taskId),
        notes: workingMemory.ofTask(taskId, NOTES_SHOWN),
        questions: humanRequests.pending().filter((one) => one.task_id === taskId),
      }),
    memorySearch: memory.search,
    execute: calls.counted(createToolExecutor({ timeoutMs: TOOL_TIMEOUT_MS, disk, filesOf, logger })),
    grants: new GrantTable(store),
    workspaceDir,
    logger,
  });
  const { learning, skills } = openLearning({
    tables: memory.tables,
    lane: memory.lane,
    provider: modelProvider,
    models: { light: config.lightModel, main: config.model },
    catalog,
    catalogFolder,
    isBusy: () => slots.size > 0,
    logger,
  });
  const turns = new TurnTable(store);
  const runner = new TurnRunner({
    journal,
    humanRequests,
    slots,
    turns,
    messages,
    toolCalls: new ToolCallTable(store),
    compactions: new CompactionTable(store),
    memory: {
      note: (entry) => memory.writer.note(entry),
      round: (ended) => {
        memory.writer.round(ended);
        learning.turnEnded();
      },
    },
    meter,
    budgets,
    runAgent,
    telemetry,
    logger,
  });
  runner.recover(() => awaitConnected(toolServers.servers));
  const idempotency = new IdempotencyTable(store);
  const stopMaintenance = startMaintenance({
    provider: modelProvider,
    slots,
    journal,
    idempotency,
    meter,
    requests: requestTable,
    attachments: new AttachmentNames(store),
    workspaceDir,
    logger,
  });
  const wakefulness = new Wakefulness({
    turns: () => runner.busy,
    streams: () => journal.readerCount(),
    toolCalls: () => calls.count,
    learning,
    lastEventAt: () => journal.last.ts,
    stopAccepting,
  });
  const diskBytes = createDiskReport(disk, () => journal.lastActiveAt);
  const { vitals, status } = engineReport({
    slots,
    humanRequests,
    journal,
    runner,
    wakefulness,
    diskBytes,
    meter,
    budgets,
  });
  const keys = new AcceptedKeys(launch.keys);
  const { provider, model } = config;
  logger.info(
    { engine_id: launch.engine_id, incarnation: launch.incarnation, provider, model },
    "engine accepts turns",
  );
  const routes = createRoutes({
    runner,
    journal,
    humanRequests,
    idempotency,
    keys,
    controlToken: launch.control_token,
    counters: telemetry.counters,
    usage: (known) => meter.report(known),
    budgets,
    tracer: telemetry.tracer,
    host: launch.host,
    documentsDir: join(programDir(), "documents/engine"),
    status,
    wakefulness,
    attachments,
    setCatalog: (version) => catalog.setProduct(productVersion(launch.product_catalog ?? NO_CATALOGS, version)),
    hasAgent: (name) => catalog.catalog.agents.has(name),
    catalog,
    servers: {
      list: () => shownServers(toolServers.servers.list(), { profiles, provider }),
      allow: (server, selection) => toolServers.servers.allow(server, selection),
    },
    turnList: new TurnList({ turns, slots }),
    requests,
    memoryLists: memory.lists,
    endFact: (id) => memory.endFact(id),
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
    answer(request, response) {
      if (!isControlPath(request.url)) wakefulness.countRequest(response);
      void routes(request, response);
    },
    asleep: wakefulness.asleep,
    vitals: () => ({ ...vitals(), core_soul_hash: catalog.soul.hash, model: modelProvider.health() }),
    async drain(deadlineMs) {
      const end = Date.now() + deadlineMs;
      const learningClosed = learning.close();
      for (runner.park(); runner.busy > 0 && Date.now() < end; runner.park()) await delay(20);
      runner.parkAll();
      await runner.waitUntilIdle(TOOL_EXIT_MS);
      await toolServers.servers.close();
      await launcher.close();
      await network.close();
      await Promise.race([learningClosed, delay(LEARNING_CLOSE_MS)]);
      await requests?.flush();
      await memory.close(
        new EngineError(
          "ENGINE_DRAINING",
          "the engine stops; a memory file read completely is imported at the next start",
        ),
      );
      stopMaintenance();
      await observed.close();
    },
  };
}
