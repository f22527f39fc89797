import type { EngineLaunch } from "../../contract/engine/launch.ts";
import { inBackground } from "../../shared/background.ts";
import { delay } from "../../shared/clock.ts";
import { Deadline } from "../../shared/deadline.ts";
import type { Logger } from "../../shared/logger.ts";
import { allowedAssertion } from "../agent/assert-allowed.ts";
import { stateSections } from "../agent/compaction-text.ts";
import { taskContext } from "../attachments/message-context.ts";
import type { EngineConfig } from "../config.ts";
import { createDiskReport } from "../isolation/disk-report.ts";
import type { Workspace } from "../isolation/open-workspace.ts";
import type { Learning } from "../learning/learning.ts";
import { profileBlock } from "../memory/profile/profile-block.ts";
import type { Memory } from "../memory/open-memory.ts";
import { Wakefulness, type WakefulnessParts } from "../sleep/wakefulness.ts";
import type { WorkspaceCheckpoints } from "../checkpoints/workspace-checkpoints.ts";
import { CompactionTable } from "../store/compactions.ts";
import { ConversationTable } from "../store/conversations.ts";
import { EventTable } from "../store/events.ts";
import { GrantTable } from "../store/grants.ts";
import { IdempotencyTable } from "../store/idempotency-keys.ts";
import { InboxTable } from "../store/inbox-table.ts";
import { LoadedToolTable } from "../store/loaded-tools.ts";
import { MessageTable } from "../store/messages.ts";
import type { Store } from "../store/open-store.ts";
import { ToolCallTable } from "../store/tool-call-table.ts";
import { TaskTable } from "../store/tasks.ts";
import { TurnNoticeTable } from "../store/turn-notices.ts";
import { TurnTable } from "../store/turns.ts";
import { WorkingMemoryTable } from "../store/working-memory.ts";
import type { MessageSearch } from "../tasks/message-search.ts";
import { TaskChanges } from "../tasks/task-changes.ts";
import type { TaskTitles } from "../tasks/task-titles.ts";
import type { EngineTelemetry } from "../telemetry/engine-telemetry.ts";
import { checkClientTools } from "../tools/client-tools.ts";
import { type EventJournal, openJournal } from "../turns/event-journal.ts";
import { Inbox } from "../turns/inbox.ts";
import type { HumanRequests } from "../turns/human-requests.ts";
import { MessageIntake } from "../turns/message-intake.ts";
import type { ProductSuspension } from "../turns/product-suspension.ts";
import { TaskBranches } from "../turns/task-branches.ts";
import type { TaskSlots } from "../turns/task-slots.ts";
import { TurnList } from "../turns/turn-list.ts";
import { TurnRunner } from "../turns/turn-runner.ts";
import { turnGates } from "./turn-gates.ts";
import { engineReport } from "./engine-report.ts";
import { openAgent } from "./open-agent.ts";
import { openRequests } from "./open-requests.ts";
import { openMessageSearch, openTasks, openTitles } from "./open-tasks.ts";
import type { EngineModel } from "./open-model.ts";
import type { EngineTools } from "./open-tools.ts";

/** Notes shown with a summarised conversation. */
const NOTES_SHOWN = 30;
/** Time for tool processes to exit when the engine stops. */
const TOOL_EXIT_MS = 2500;

interface TurnOwnerParts {
  readonly launch: EngineLaunch;
  readonly config: EngineConfig;
  readonly store: Store;
  readonly workspace: Workspace;
  readonly model: EngineModel;
  readonly memory: Memory;
  readonly tools: EngineTools;
  readonly checkpoints: WorkspaceCheckpoints;
  readonly learning: Learning;
  readonly slots: TaskSlots;
  readonly suspension: ProductSuspension;
  readonly telemetry: EngineTelemetry;
  readonly stopAccepting: WakefulnessParts["stopAccepting"];
  readonly logger: Logger;
}

/** The turns of an engine and their events. Resumes those of an earlier process. */
export function openTurns(parts: TurnOwnerParts) {
  const { launch, config, store, workspace, model, tools, checkpoints, slots, logger } = parts;
  const {
    meter,
    budgets,
    models: { cooldowns },
  } = model;
  const events = new EventTable(store);
  const journal = openJournal(events, { slots, logger });
  const search = openMessageSearch({ store, logger });
  const taskChanges = new TaskChanges();
  const titles = titlesOf(parts, { search, taskChanges });
  const { requests, openQuestions, clientCallTable } = openRequests(parts, journal);
  const turns = new TurnTable(store);
  const [tasks, conversations] = [
    new TaskTable(store, { titled: config.titles !== "off" }),
    new ConversationTable(store),
  ];
  const inboxTable = new InboxTable(store);
  const inbox = new Inbox({ table: inboxTable, journal, slots, turns });
  const runner = createRunner(parts, {
    journal,
    ...requests,
    tasks,
    turns,
    conversations,
    memory: recordOf(parts, { search, titles }),
    freed: (taskId) => intake.freed(taskId),
    inbox,
  });
  const intake = new MessageIntake({ runner, inbox, slots, logger });
  const workspaceDir = workspace.folders.workspace;
  const taskParts = openTasks({
    store,
    slots,
    inbox,
    runner,
    journal,
    events,
    search,
    taskChanges,
    checkpoints,
    workspaceDir,
    names: {
      hasAgent: tools.hasAgent,
      checkTools: (definitions, list) => checkClientTools(definitions, tools.hasTool, list),
    },
    logger,
  });
  // Before anything starts a turn.
  inBackground("deletion of tasks", taskParts.taskChanger.finishDeletions());
  inbox.removeLeft();
  runner.recover();
  // What an upgrade, an import or a killed engine has left.
  search.indexSoon();
  const gates = turnGates(parts, { runner, intake });
  gates.suspend(launch.suspended ?? null);
  const wakefulness = wakefulnessOf(parts, { runner, intake, journal });
  const notices = new TurnNoticeTable(store);
  const diskBytes = createDiskReport(workspace.disk, () => journal.lastActiveAt);
  return {
    journal,
    ...requests,
    openQuestions,
    clientCallTable,
    inbox,
    inboxTable,
    intake,
    runner,
    ...gates,
    wakefulness,
    ...engineReport({
      slots,
      ...requests,
      openQuestions,
      journal,
      runner,
      wakefulness,
      diskBytes,
      meter,
      notices,
      budgets,
      cooldowns,
      memory: parts.memory,
    }),
    notices,
    idempotency: new IdempotencyTable(store),
    turnList: new TurnList({ turns, slots }),
    ...taskParts,
    branches: new TaskBranches({
      journal,
      runner,
      slots,
      tasks,
      conversations,
      checkpoints,
      plans: tools.plans,
      workingMemory: new WorkingMemoryTable(store),
      search,
      changes: taskParts.taskChanges,
    }),
    /** Parks the turns at their next step, after the deadline in the middle of it. */
    close(deadlineMs: number) {
      search.close();
      titles?.close();
      return parkTurns(runner, deadlineMs);
    },
  };
}

async function parkTurns(runner: TurnRunner, deadlineMs: number): Promise<void> {
  const end = new Deadline(deadlineMs);
  for (runner.park(); runner.busy > 0 && !end.isOver; runner.park()) await delay(20);
  runner.parkAll();
  await runner.waitUntilIdle(TOOL_EXIT_MS);
}

const wakefulnessOf = (
  { tools, learning, stopAccepting }: TurnOwnerParts,
  {
    runner,
    intake,
    journal,
  }: { readonly runner: TurnRunner; readonly intake: MessageIntake; readonly journal: EventJournal },
): Wakefulness =>
  new Wakefulness({
    turns: () => runner.busy,
    isStartOverdue: () => intake.isStartOverdue,
    streams: () => journal.readerCount(),
    toolCalls: () => tools.running.count,
    learning,
    sinceLastEventMs: () => journal.sinceLastMs,
    stopAccepting,
  });

type RunnerParts = ConstructorParameters<typeof TurnRunner>[0];

const createRunner = (
  parts: TurnOwnerParts,
  own: Pick<
    RunnerParts,
    | "journal"
    | "humanRequests"
    | "clientCalls"
    | "toolHook"
    | "tasks"
    | "turns"
    | "conversations"
    | "memory"
    | "freed"
    | "inbox"
  >,
): TurnRunner => {
  const { store, model, tools, slots, suspension, telemetry, logger } = parts;
  const { meter, budgets, models } = model;
  return new TurnRunner({
    ...own,
    slots,
    suspension,
    messages: new MessageTable(store),
    toolCalls: new ToolCallTable(store),
    compactions: new CompactionTable(store),
    loadedTools: new LoadedToolTable(store),
    meter,
    budgets,
    runAgent: agentOf(parts, own.humanRequests),
    toolNamed: tools.profiles.toolNamed,
    assertAllowed: allowedAssertion(tools.profiles.ofAgent, { rules: models.rules, allowed: tools.allowed }),
    toolsReady: tools.toolsReady,
    telemetry,
    logger,
  });
};

const titlesOf = (
  { config, store, model, suspension, logger }: TurnOwnerParts,
  own: { readonly search: MessageSearch; readonly taskChanges: TaskChanges },
): TaskTitles | null =>
  openTitles(config, {
    ...own,
    store,
    provider: model.provider,
    isAllowed: () => !suspension.isActive,
    logger,
  });

/** Where turns are recorded. Learning takes the ended ones from there. */
const recordOf = (
  { memory, learning }: TurnOwnerParts,
  { search, titles }: { readonly search: MessageSearch; readonly titles: TaskTitles | null },
): RunnerParts["memory"] => ({
  note: (entry) => memory.writer.note(entry),
  round: (ended) => {
    memory.writer.round(ended);
    learning.turnEnded();
    search.indexSoon();
    if (ended.outcome === "completed") titles?.turnCompleted(ended.taskId);
  },
});

function agentOf({ config, store, workspace, model, memory, tools, logger }: TurnOwnerParts, requests: HumanRequests) {
  const workingMemory = new WorkingMemoryTable(store);
  const messages = new MessageTable(store);
  return openAgent({
    provider: model.provider,
    models: model.models,
    config,
    profiles: tools.profiles,
    allowed: tools.allowed,
    state: (taskId) =>
      stateSections({
        plan: tools.plans.ofTask(taskId),
        notes: workingMemory.ofConversation(taskId, NOTES_SHOWN),
        context: taskContext(messages.ofTask(taskId)),
        questions: requests.pending().filter((one) => one.task_id === taskId),
      }),
    memorySearch: memory.search,
    profile: () => profileBlock(memory.tables.profile.lines()),
    execute: tools.execute,
    grants: new GrantTable(store),
    rules: () => tools.catalog.catalog.rules,
    workspaceDir: workspace.folders.workspace,
    logger,
  });
}
