import type { Logger } from "../../shared/logger.ts";
import { type AgentLoop, createAgentLoop } from "../agent/agent-loop.ts";
import type { CatalogProfiles } from "../agent/agent-profiles.ts";
import type { AllowedAgentsAndTools } from "../agent/allowed-agents-and-tools.ts";
import { type CompactorParts, ContextCompactor } from "../agent/compaction.ts";
import type { ModelParts } from "../agent/choose-models.ts";
import { createDelegation } from "../agent/delegation.ts";
import { createRecall } from "../agent/recall.ts";
import type { EngineConfig } from "../config.ts";
import type { MemorySearch } from "../memory/search/search-memory.ts";
import { createShowAttachments } from "../model/attachments/show-attachments.ts";
import { outputTokensWithin, windowsOf } from "../model/context-window.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import type { ToolRule } from "../tools/tool-rules.ts";
import type { GrantTable } from "../store/grants.ts";
import type { Grant } from "../tools/authorize.ts";
import type { ToolExecutor } from "../tools/execute.ts";

const MAX_OUTPUT_TOKENS = 16_000;

/** The agent loop with its compaction, recall and delegation. */
export function openAgent({
  provider,
  models,
  config,
  profiles,
  allowed,
  state,
  memorySearch,
  profile,
  execute,
  grants,
  rules,
  workspaceDir,
  logger,
}: {
  readonly provider: ModelProvider;
  readonly models: ModelParts;
  readonly config: EngineConfig;
  readonly profiles: CatalogProfiles;
  readonly allowed: AllowedAgentsAndTools;
  readonly state: CompactorParts["state"];
  readonly memorySearch: Pick<MemorySearch, "search">;
  readonly profile: () => string | null;
  readonly execute: ToolExecutor;
  readonly grants: GrantTable;
  readonly rules: () => readonly ToolRule[];
  readonly workspaceDir: string;
  readonly logger: Logger;
}): AgentLoop {
  const windowOf = windowsOf(config);
  const showAttachments = createShowAttachments({ provider: config.provider, override: config.attachments, windowOf });
  const parts = {
    provider,
    models,
    maxOutputTokens: (model: string) => outputTokensWithin(windowOf(model), MAX_OUTPUT_TOKENS),
    showAttachments,
    compactor: new ContextCompactor({
      provider,
      lightModel: config.lightModel,
      windowOf,
      coolsDown: (model) => models.cooldowns.leftMs(models.rules.resolve(model)) > 0,
      reactive: config.reactiveCompact,
      showAttachments,
      state,
      logger,
    }),
    tools: {
      execute,
      concurrency: config.toolConcurrency,
      workspaceDir,
      grants: {
        ofTask: (taskId: string) => grants.ofTask(taskId),
        add: (grant: Grant) => grants.insert(grant, Date.now()),
      },
      rules,
    },
  };
  return createAgentLoop({
    ...parts,
    recall: createRecall({ search: memorySearch, profile, window: windowOf(config.model), logger }),
    tools: { ...parts.tools, delegate: createDelegation(parts, profiles) },
    profiles: profiles.ofAgent,
    agentProblem: (agent) => allowed.problemOf(agent),
  });
}
