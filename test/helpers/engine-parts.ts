import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { unlimitedDisk } from "./command-host.ts";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import type { Test } from "tap";
import * as z from "zod/mini";
import { sha256 } from "../../src/contract/orchestrator/api-keys.ts";
import { DEFAULT_ATTACHMENT_LIMITS } from "../../src/contract/engine/attachment-limits.ts";
import type { ClientTool } from "../../src/contract/engine/client-tool.ts";
import { isEngineTool } from "../../src/contract/engine/tool-names.ts";
import { DEFAULT_AGENT } from "../../src/contract/engine/requests.ts";
import { AllowedAgentsAndTools } from "../../src/engine/agent/allowed-agents-and-tools.ts";
import { allowedAssertion } from "../../src/engine/agent/assert-allowed.ts";
import { type AgentLoop, createAgentLoop } from "../../src/engine/agent/agent-loop.ts";
import type { CatalogProfiles } from "../../src/engine/agent/agent-profiles.ts";
import type { ModelParts } from "../../src/engine/agent/choose-models.ts";
import type { Compactor } from "../../src/engine/agent/compaction.ts";
import { createDelegation } from "../../src/engine/agent/delegation.ts";
import { offeredTools } from "../../src/engine/agent/offered-tools.ts";
import type { ToolLimits } from "../../src/engine/agent/split-tools.ts";
import { createRecall } from "../../src/engine/agent/recall.ts";
import { STREAM_LIMITS, type StreamLimits } from "../../src/engine/http/event-stream.ts";
import { openFiles } from "../../src/engine/files/engine-files.ts";
import { createRoutes } from "../../src/engine/http/routes.ts";
import { profileBlock } from "../../src/engine/memory/profile/profile-block.ts";
import { ProfileTable } from "../../src/engine/memory/profile/profile-table.ts";
import { MAX_PROFILE_BYTES } from "../../src/contract/engine/profile.ts";
import { MemoryLists } from "../../src/engine/memory/memory-lists.ts";
import { MemoryWriter } from "../../src/engine/memory/memory-writer.ts";
import { MemoryPortability } from "../../src/engine/memory/portability/memory-portability.ts";
import { FullTextIndex } from "../../src/engine/memory/search/memory-index.ts";
import { MemorySearch } from "../../src/engine/memory/search/search-memory.ts";
import { WriteLane } from "../../src/engine/memory/write-lane.ts";
import { ModelCooldowns } from "../../src/engine/model/model-cooldowns.ts";
import { ModelRules } from "../../src/engine/model/model-rules.ts";
import type { ModelPart, ModelProvider, ModelRequest } from "../../src/engine/model/model-provider.ts";
import { ClientCallTable } from "../../src/engine/store/client-call-table.ts";
import { ConversationTable } from "../../src/engine/store/conversations.ts";
import { CompactionTable } from "../../src/engine/store/compactions.ts";
import { TaskChanges } from "../../src/engine/tasks/task-changes.ts";
import { EventTable } from "../../src/engine/store/events.ts";
import { HitlTable } from "../../src/engine/store/hitl-requests.ts";
import { OpenQuestionTable } from "../../src/engine/store/open-questions.ts";
import { InboxTable } from "../../src/engine/store/inbox-table.ts";
import { IdempotencyTable } from "../../src/engine/store/idempotency-keys.ts";
import { LoadedToolTable } from "../../src/engine/store/loaded-tools.ts";
import { openCheckpoints } from "../../src/engine/app/open-checkpoints.ts";
import { engineFolders } from "../../src/engine/isolation/file-rules.ts";
import { openMessageSearch, openTasks } from "../../src/engine/app/open-tasks.ts";
import { MessageTable } from "../../src/engine/store/messages.ts";
import { type Store, openStore } from "../../src/engine/store/open-store.ts";
import { rankByWords } from "../../src/engine/store/word-index.ts";
import { ToolCallTable } from "../../src/engine/store/tool-call-table.ts";
import { TaskTable } from "../../src/engine/store/tasks.ts";
import { TurnTable } from "../../src/engine/store/turns.ts";
import type { ToolRule } from "../../src/engine/tools/tool-rules.ts";
import type { Grant } from "../../src/engine/tools/authorize.ts";
import { UsageTable } from "../../src/engine/store/usage-table.ts";
import { AttachmentFiles } from "../../src/engine/tools/attachments/attachment-files.ts";
import { clientToolsOf, outputProblem } from "../../src/engine/tools/client-tools.ts";
import { createToolExecutor } from "../../src/engine/tools/execute.ts";
import { type ToolRegistry, joinedRegistry } from "../../src/engine/tools/registry.ts";
import { EngineCounters } from "../../src/engine/telemetry/engine-counters.ts";
import { EngineTelemetry } from "../../src/engine/telemetry/engine-telemetry.ts";
import { toolInput } from "../../src/engine/tools/tool-input.ts";
import type { Tool } from "../../src/engine/tools/tool.ts";
import { UsageMeter } from "../../src/engine/usage/usage-meter.ts";
import { AcceptedKeys } from "../../src/engine/turns/accepted-keys.ts";
import { Followers } from "../../src/engine/sleep/followers.ts";
import { type EventJournal, openJournal } from "../../src/engine/turns/event-journal.ts";
import { ClientCalls } from "../../src/engine/turns/client-calls.ts";
import { ToolHook } from "../../src/engine/turns/tool-hook.ts";
import { ToolVerdictTable } from "../../src/engine/store/tool-verdict-table.ts";
import type { ToolHookRules } from "../../src/contract/engine/tool-hook.ts";
import { Inbox } from "../../src/engine/turns/inbox.ts";
import { HumanRequests } from "../../src/engine/turns/human-requests.ts";
import { OpenQuestions } from "../../src/engine/turns/question-report.ts";
import { MessageIntake } from "../../src/engine/turns/message-intake.ts";
import { ProductSuspension } from "../../src/engine/turns/product-suspension.ts";
import { TaskSlots } from "../../src/engine/turns/task-slots.ts";
import { TurnList } from "../../src/engine/turns/turn-list.ts";
import type { TurnStart } from "../../src/engine/turns/turn.ts";
import { type TurnParts, TurnRunner } from "../../src/engine/turns/turn-runner.ts";
import { createLogger } from "../../src/shared/logger.ts";
import { NO_TRACER } from "../../src/shared/tracing/span.ts";
import { until } from "./until.ts";

export const KEY = "sk-orch-test";
const USAGE = { inputTokens: 10, outputTokens: 5, cacheHitTokens: 0 };

/** One model answer: its parts, or a failure in place of the end. */
export type Answer = (request: ModelRequest, signal: AbortSignal) => Iterable<ModelPart> | AsyncIterable<ModelPart>;

/** A model that gives its answers in order, whatever is asked, and keeps what it was asked. */
export function scriptedProvider(...answers: readonly Answer[]): ModelProvider & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    name: "scripted",
    requests,
    async *stream(request, signal) {
      const answer = answers[requests.length];
      requests.push(request);
      yield* answer?.(request, signal) ?? says("nothing more to say")();
    },
  };
}

export const says = (text: string) => (): ModelPart[] => [
  { kind: "block_start", block: "text" },
  { kind: "text", text },
  { kind: "block_stop", block: "text" },
  { kind: "done", reason: "stop", usage: USAGE },
];

/** Each call is `[id, tool, input]`; an input that is text stands for broken JSON. */
export const calls =
  (...wanted: readonly (readonly [string, string, Readonly<Record<string, unknown>> | string])[]) =>
  (): ModelPart[] => [
    ...wanted.flatMap(([id, tool, input]): ModelPart[] => [
      { kind: "block_start", block: "tool_use" },
      typeof input === "string"
        ? { kind: "tool_use", id, tool, input: null, rawInput: input }
        : { kind: "tool_use", id, tool, input, rawInput: JSON.stringify(input) },
      { kind: "block_stop", block: "tool_use" },
    ]),
    { kind: "done", reason: "tool_use", usage: USAGE },
  ];

export function testTool(name: string, run: Tool["run"], more: Partial<Tool> = {}): Tool {
  return {
    name,
    description: name,
    input: toolInput(z.object({ n: z.optional(z.number()) })),
    readOnly: true,
    permission: "allow",
    resources: () => [],
    run,
    ...more,
  };
}

export interface Parts {
  readonly store: Store;
  readonly journal: EventJournal;
  readonly runner: TurnRunner;
  readonly humanRequests: HumanRequests;
  readonly clientCalls: ClientCalls;
  readonly toolHook: ToolHook;
  readonly inbox: Inbox;
  readonly intake: MessageIntake;
  readonly suspension: ProductSuspension;
  readonly slots: TaskSlots;
  readonly messages: MessageTable;
  readonly idempotency: IdempotencyTable;
  /** Runs a turn to its end and gives its events. */
  turn(
    taskId: string,
    message?: string,
    more?: Partial<TurnStart>,
  ): Promise<readonly { event: string; data: Record<string, unknown> }[]>;
  events(turnId: string): readonly { event: string; data: Record<string, unknown> }[];
}

export interface PartsOptions {
  readonly provider?: ModelProvider;
  readonly tools?: readonly Tool[];
  readonly models?: ModelParts;
  readonly concurrency?: number;
  readonly toolTimeoutMs?: number;
  readonly ttlMs?: number;
  readonly dataDir?: string;
  readonly compactor?: Compactor;
  readonly store?: Store;
  /** Agents of a catalog, who delegate to each other. */
  readonly profiles?: (registry: () => ToolRegistry) => CatalogProfiles;
  readonly rules?: readonly ToolRule[];
  /** Default: none. Its calls wait for no daemon beside its `timeout_ms`. */
  readonly hook?: ToolHookRules;
  readonly hitlTtlMs?: number;
  /** Beyond these, tools are found by tool search. Default: none. */
  readonly toolLimits?: ToolLimits;
  /** Why no turn may start. */
  readonly refusal?: TurnParts["budgets"]["refusal"];
  readonly toolsReady?: TurnParts["toolsReady"];
  /** Puts something of the test's own around the loop. */
  readonly around?: (loop: AgentLoop) => AgentLoop;
  readonly telemetry?: EngineTelemetry;
  /** Whether what memory has on a message is put behind it. */
  readonly recalls?: boolean;
}

const SCRIPTED = {
  provider: "sandbox",
  upstreams: new Map(),
  model: "scripted",
  plannerModel: "scripted",
  lightModel: "scripted",
} as const;

/** An engine's inside without its process: on a real store, with a scripted model. */
export function engineParts(t: Test, options: PartsOptions = {}): Parts {
  const {
    provider = scriptedProvider(),
    tools = [],
    concurrency = 10,
    toolTimeoutMs = 5000,
    ttlMs = 900_000,
    around = (loop) => loop,
    models = { rules: new ModelRules(SCRIPTED), cooldowns: new ModelCooldowns() },
  } = options;
  const dataDir = options.dataDir ?? t.testdir();
  const workspaceDir = join(dataDir, "workspace");
  mkdirSync(workspaceDir, { recursive: true });
  const logger = createLogger("test", "silent");
  const store = options.store ?? openStore(dataDir);
  t.teardown(() => store.close());
  const slots = new TaskSlots(ttlMs);
  const journal = openJournal(new EventTable(store), { slots, logger });
  const humanRequests = new HumanRequests(new HitlTable(store), journal, { ttlMs: options.hitlTtlMs ?? null });
  const clientCalls = new ClientCalls(new ClientCallTable(store), journal, {
    ttlMs: options.hitlTtlMs ?? null,
    checkOutput: outputProblem,
  });
  const toolHook = new ToolHook(new ToolVerdictTable(store), journal, options.hook ?? null, { daemonMs: 0 });
  const messages = new MessageTable(store);
  const grants: Grant[] = [];
  const registry = joinedRegistry([{ tools: () => tools }]);
  const profiles = options.profiles?.(registry);
  const { toolLimits = { maxTools: Infinity, maxTokens: Infinity, shownTokens: Infinity } } = options;
  const offered = (clientTools: readonly ClientTool[]) =>
    offeredTools([...registry().tools, ...clientToolsOf(clientTools)], toolLimits, rankByWords);
  const loop = {
    provider,
    models,
    maxOutputTokens: () => 1000,
    ...(options.compactor && { compactor: options.compactor }),
    tools: {
      execute: createToolExecutor({ timeoutMs: toolTimeoutMs, disk: unlimitedDisk(), logger }),
      concurrency,
      workspaceDir,
      grants: { ofTask: () => grants, add: (grant: Grant) => grants.push(grant) },
      rules: () => options.rules ?? [],
    },
  };
  const runAgent = createAgentLoop({
    ...loop,
    ...(options.recalls && {
      recall: createRecall({
        search: new MemorySearch(store),
        profile: () => profileBlock(new ProfileTable(store).lines()),
        window: 200_000,
        logger,
      }),
    }),
    tools: { ...loop.tools, ...(profiles && { delegate: createDelegation(loop, profiles) }) },
    profiles:
      profiles?.ofAgent ??
      ((_agent, { clientTools = [] } = {}) => ({ system: "", model: "scripted", ...offered(clientTools) })),
  });
  const turns = new TurnTable(store);
  const loadedTools = new LoadedToolTable(store);
  const memory = new MemoryWriter(store, new FullTextIndex(store));
  const toolCalls = new ToolCallTable(store);
  const compactions = new CompactionTable(store);
  const { telemetry = new EngineTelemetry() } = options;
  const meter = new UsageMeter({ store, table: new UsageTable(store), logger });
  const suspension = new ProductSuspension();
  const runParts = {
    telemetry,
    tasks: new TaskTable(store),
    turns,
    messages,
    toolCalls,
    compactions,
    loadedTools,
    clientCalls,
    toolHook,
    conversations: new ConversationTable(store),
    memory,
    meter,
    budgets: { refusal: options.refusal ?? (() => null) },
    toolNamed: profiles?.toolNamed ?? ((name) => registry().get(name)),
    runAgent: around(runAgent),
    ...(profiles && {
      assertAllowed: allowedAssertion(profiles.ofAgent, { rules: models.rules, allowed: new AllowedAgentsAndTools() }),
    }),
    ...(options.toolsReady && { toolsReady: options.toolsReady }),
  };
  const inbox = new Inbox({ table: new InboxTable(store), journal, slots, turns });
  const runner = new TurnRunner({
    freed: (taskId) => intake.freed(taskId),
    inbox,
    journal,
    humanRequests,
    slots,
    suspension,
    logger,
    ...runParts,
  });
  const intake = new MessageIntake({ runner, inbox, slots, logger });
  const events = (turnId: string) =>
    journal
      .read({ turnId, limit: 1_000_000 })
      .map(({ type, data }) => ({ event: type, data: JSON.parse(data) as Record<string, unknown> }));
  return {
    store,
    journal,
    runner,
    humanRequests,
    clientCalls,
    toolHook,
    inbox,
    intake,
    suspension,
    slots,
    messages,
    idempotency: new IdempotencyTable(store),
    events,
    async turn(taskId, message = "go", more = {}) {
      const turn = runner.start({ task_id: taskId, message, ...more });
      turn.run();
      await until("the turn is over", () => turns.state(turn.turnId) !== "running");
      return events(turn.turnId);
    },
  };
}

const checkpointsOf = ({ store }: Parts) =>
  openCheckpoints({
    launch: { limits: { max_processes: 0, memory_mb: 0, disk_mb: 0 } },
    store,
    workspace: { folders: engineFolders(store.dataDir), disk: unlimitedDisk() },
  });

/** The records of its tasks. */
export const tasksOf = (parts: Parts) =>
  openTasks({
    ...parts,
    events: new EventTable(parts.store),
    taskChanges: new TaskChanges(),
    checkpoints: checkpointsOf(parts),
    search: openMessageSearch({ store: parts.store, logger: createLogger("test", "silent") }),
    workspaceDir: join(parts.store.dataDir, "workspace"),
    names: { hasAgent: () => true, checkTools: () => undefined },
    logger: createLogger("test", "silent"),
  });

/** The same behind its routes, on loopback, with limits of the test's own. */
export async function servedParts(t: Test, parts: Parts, limits: Partial<StreamLimits> = {}): Promise<string> {
  const { runner, journal, humanRequests, clientCalls, toolHook, inbox, intake, idempotency } = parts;
  const routes = createRoutes({
    runner,
    journal,
    humanRequests,
    clientCalls,
    toolHook,
    openQuestions: new OpenQuestions(new OpenQuestionTable(parts.store)),
    inbox,
    intake,
    whenBusy: "reject",
    idempotency,
    keys: new AcceptedKeys([{ hash: sha256(KEY), expires_at: null }]),
    setAllowed: () => undefined,
    launch: { engine_id: "eng_test", user_id: "user", product: "test", control_token: "token", host: "127.0.0.1" },
    telemetry: { counters: new EngineCounters(), tracer: NO_TRACER },
    meter: { report: () => undefined },
    notices: { report: () => undefined, last: null },
    setBudgets: () => undefined,
    setModels: () => undefined,
    documentsDir: resolve(import.meta.dirname, "../../dist/documents/engine"),
    setCatalog: () => Promise.resolve({ kind: "reloaded", answer: { version: null } }),
    knowledge: { use: () => Promise.resolve(true), receive: () => Promise.resolve() },
    status: () => ({
      active_turns: 0,
      pending_hitl: 0,
      streams: 0,
      draining: false,
      last_active_at: null,
      idle_since: null,
      idle_ms: null,
      learning_due_at: null,
      awake: [],
    }),
    suspend: () => undefined,
    wakefulness: { noteWork: () => undefined, sleep: () => [], followers: new Followers() },
    attachments: {
      files: new AttachmentFiles({ workspaceDir: join(parts.store.dataDir, "workspace"), disk: unlimitedDisk() }),
      limits: DEFAULT_ATTACHMENT_LIMITS,
    },
    files: openFiles({
      store: parts.store,
      workspaceDir: join(parts.store.dataDir, "workspace"),
      checkpoints: checkpointsOf(parts),
      admit: () => Promise.resolve(null),
      engineId: "eng_test",
    }),
    agents: () => [{ name: DEFAULT_AGENT, description: "The agent of tests." }],
    catalogSkills: () => [],
    hasAgent: (name) => name === DEFAULT_AGENT,
    hasTool: (name) => isEngineTool(name),
    catalog: {
      reload: () => Promise.resolve({ kind: "refused", problems: [] }),
      reloadSoul: () => Promise.resolve({ kind: "refused", problems: [] }),
      inspect: () => Promise.resolve({ agents: [], skills: [], tools: [], errors: [], warnings: [] }),
    },
    ...tasksOf(parts),
    turnList: new TurnList({ turns: new TurnTable(parts.store), slots: parts.slots }),
    branches: {
      lastAsked: () => null,
      list: () => [],
      fork: () => {
        throw new Error("no task is forked here");
      },
      rewind: () => Promise.reject(new Error("no task is rewound here")),
    },
    requests: null,
    memory: {
      endFact: () => Promise.resolve(false),
      lists: new MemoryLists(parts.store),
      search: new MemorySearch(parts.store),
      portability: new MemoryPortability({
        store: parts.store,
        workspaceDir: join(parts.store.dataDir, "workspace"),
        lane: new WriteLane(parts.store),
        reindex: () => Promise.resolve(),
      }),
    },
    learning: { running: false, trigger: () => Promise.reject(new Error("nothing is learnt here")) },
    profile: {
      read: () => ({ lines: [], bytes: 0, max_bytes: MAX_PROFILE_BYTES }),
      correct: () => Promise.reject(new Error("nothing is corrected here")),
      delete: () => Promise.reject(new Error("nothing is deleted here")),
    },
    skills: { list: () => [], decide: () => Promise.reject(new Error("nothing is drafted here")) },
    servers: {
      list: () => ({ servers: [] }),
      allow: () => "unknown",
      loginTargets: () => [],
      signedIn: () => undefined,
    },
    limits: { ...STREAM_LIMITS, ...limits },
    logger: createLogger("test", "silent"),
  });
  const server = createServer((request, response) => void routes(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
