import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { DEFAULT_ATTACHMENT_LIMITS } from "../../contract/engine/attachment-limits.ts";
import { isControlPath } from "../../contract/engine/control.ts";
import type { EngineHealth } from "../../contract/engine/health.ts";
import type { EngineLaunch } from "../../contract/engine/launch.ts";
import { logBackgroundFailures } from "../../shared/background.ts";
import { createLogger } from "../../shared/logger.ts";
import type { EngineConfig } from "../config.ts";
import { EngineError } from "../engine-error.ts";
import { STREAM_LIMITS } from "../http/event-stream.ts";
import { openFiles } from "../files/engine-files.ts";
import { createRoutes } from "../http/routes.ts";
import { openWorkspace } from "../isolation/open-workspace.ts";
import { programDir } from "../isolation/program-dir.ts";
import { openLearning } from "../learning/open-learning.ts";
import { openMemory } from "../memory/open-memory.ts";
import type { WakefulnessParts } from "../sleep/wakefulness.ts";
import { AttachmentNames } from "../store/attachment-names.ts";
import type { Store } from "../store/open-store.ts";
import { TaskTable } from "../store/tasks.ts";
import { pruneTasks } from "../tasks/prune-tasks.ts";
import { openTelemetry } from "../telemetry/open-telemetry.ts";
import { admitBytes } from "../tools/admit-bytes.ts";
import { AttachmentFiles } from "../tools/attachments/attachment-files.ts";
import { AcceptedKeys } from "../turns/accepted-keys.ts";
import { ProductSuspension } from "../turns/product-suspension.ts";
import { TaskSlots } from "../turns/task-slots.ts";
import { PhantomCalls } from "../secrets/phantom-calls.ts";
import { BrokerEgress } from "../secrets/broker-egress.ts";
import { ToolSecrets } from "../secrets/tool-secrets.ts";
import { startMaintenance } from "./maintenance.ts";
import { openInterception } from "./open-interception.ts";
import { openCheckpoints } from "./open-checkpoints.ts";
import { openKnowledge } from "./open-knowledge.ts";
import { openModel } from "./open-model.ts";
import { openTools } from "./open-tools.ts";
import { openTurns } from "./open-turns.ts";

const CHANNEL_TTL_MS = 900_000;
const STOPPING = "the engine stops; a memory file read completely is imported at the next start";

/** An engine without its server and its store. */
export interface EngineApp {
  answer(request: IncomingMessage, response: ServerResponse): void;
  /** Resolves when the engine has decided to sleep and accepts no connection any more. It then drains and exits. */
  readonly asleep: Promise<void>;
  vitals(): Pick<EngineHealth, "active_turns" | "pending_hitl" | "streams" | "core_soul_hash" | "model" | "embeddings">;
  /** Rejects new turns and parks running ones; those not finished by the deadline resume at the next start. */
  drain(deadlineMs: number): Promise<void>;
}

export async function createApp(given: {
  readonly launch: EngineLaunch;
  readonly config: EngineConfig;
  readonly store: Store;
  readonly environment: NodeJS.ProcessEnv;
  readonly stopAccepting: WakefulnessParts["stopAccepting"];
}): Promise<EngineApp> {
  const { launch, config, store } = given;
  const logger = createLogger("engine", config.logLevel);
  logBackgroundFailures(logger);
  const reset = store.reset.current;
  if (store.reset.isNew) logger.error({ ...reset }, "the store was damaged and was set aside; created a new one");
  const { telemetry, ...tracing } = await openTelemetry(launch, logger);
  const base = { ...given, telemetry, logger };
  const slots = new TaskSlots(CHANNEL_TTL_MS);
  const suspension = new ProductSuspension();
  const secrets = new ToolSecrets(launch.broker ?? null);
  const { takeOver } = new PhantomCalls(secrets);
  const interception = openInterception(launch, secrets);
  const egress = launch.broker?.egress === true ? new BrokerEgress(launch.broker) : null;
  const workspace = openWorkspace({ ...base, takeOver, ...interception.network, outside: egress?.connect });
  const { workspace: workspaceDir } = workspace.folders;
  const files = new AttachmentFiles({ workspaceDir, disk: workspace.disk });
  const attachments = { files, limits: launch.attachments ?? DEFAULT_ATTACHMENT_LIMITS };
  const model = openModel({ ...base, readAttachment: (file) => files.read(file) });
  const { provider } = model;
  const wordVectors =
    config.wordVectors === "none" ? null : (config.wordVectors ?? join(programDir(), "word-vectors/en"));
  const memory = await openMemory({ store, workspaceDir, embedder: model.embedder, wordVectors, logger });
  const knowledge = await openKnowledge(launch, { ...model, logger });
  const checkpoints = openCheckpoints({ ...base, workspace });
  const workspaceFiles = openFiles({
    store,
    workspaceDir,
    checkpoints,
    admit: admitBytes(workspace.disk, checkpoints),
    engineId: launch.engine_id,
  });
  const tools = await openTools({
    ...base,
    environment: { ...given.environment, ...interception.trust(workspace.folders) },
    secrets,
    egress,
    workspace,
    attachments,
    checkpoints,
    publisher: workspaceFiles.artifacts,
    memory,
    knowledge,
  });
  const { learning, skills, profile } = openLearning({
    ...memory,
    provider,
    models: { light: config.lightModel, main: config.model },
    catalog: tools.catalog,
    toolNamed: tools.profiles.toolNamed,
    isBusy: () => slots.size > 0,
    isAllowed: () => !suspension.isActive,
    logger,
  });
  const turns = openTurns({ ...base, workspace, model, memory, tools, checkpoints, learning, slots, suspension });
  const names = new AttachmentNames(store);
  const kept = { attachments: names, checkpoints, workspaceDir };
  const ttl = { tasks: new TaskTable(store), slots, ttlDays: launch.task_ttl_days, logger };
  const stopMaintenance = startMaintenance({
    ...model,
    ...turns,
    ...kept,
    slots,
    pruneTasks: () => pruneTasks({ ...ttl, taskChanger: turns.taskChanger }),
    logger,
  });
  const { engine_id, incarnation } = launch;
  logger.info({ engine_id, incarnation, provider: config.provider, model: config.model }, "engine accepts turns");
  const routes = createRoutes({
    ...model,
    ...tools,
    ...turns,
    attachments,
    files: workspaceFiles,
    memory,
    knowledge,
    learning,
    skills,
    profile,
    whenBusy: launch.when_busy ?? "reject",
    keys: new AcceptedKeys(launch.keys),
    launch,
    telemetry,
    documentsDir: join(programDir(), "documents/engine"),
    limits: STREAM_LIMITS,
    logger,
  });
  const { wakefulness, vitals } = turns;
  return {
    answer(request, response) {
      if (!isControlPath(request.url)) wakefulness.countRequest(response);
      routes(request, response);
    },
    asleep: wakefulness.asleep,
    vitals: () => ({ ...vitals(), core_soul_hash: tools.catalog.soul.hash, model: provider.health() }),
    async drain(deadlineMs) {
      learning.stop();
      await turns.close(deadlineMs);
      await tools.close();
      knowledge.close();
      await workspace.close();
      await checkpoints.settled();
      await learning.close();
      await model.close();
      await memory.close(new EngineError("ENGINE_DRAINING", STOPPING));
      stopMaintenance();
      await tracing.close();
    },
  };
}
