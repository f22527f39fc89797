// Written by "npm run generate" from the names of the files in this folder.

import { sql as runState } from "./0001-run-state.ts";
import { sql as durableTurns } from "./0002-durable-turns.ts";
import { sql as toolDefinitions } from "./0003-tool-definitions.ts";
import { sql as compaction } from "./0004-compaction.ts";
import { sql as plan } from "./0005-plan.ts";
import { sql as memory } from "./0006-memory.ts";
import { sql as memoryIndex } from "./0007-memory-index.ts";
import { sql as engineState } from "./0008-engine-state.ts";
import { sql as learning } from "./0009-learning.ts";
import { sql as eventLog } from "./0010-event-log.ts";
import { sql as usage } from "./0011-usage.ts";
import { sql as attachments } from "./0012-attachments.ts";
import { sql as modelRequests } from "./0013-model-requests.ts";
import { sql as toolServers } from "./0014-tool-servers.ts";
import { sql as tasks } from "./0015-tasks.ts";
import { sql as checkpoints } from "./0016-checkpoints.ts";
import { sql as inbox } from "./0017-inbox.ts";
import { sql as clientTools } from "./0018-client-tools.ts";
import { sql as turnOutput } from "./0019-turn-output.ts";
import { sql as artifacts } from "./0020-artifacts.ts";
import { sql as turnNotices } from "./0021-turn-notices.ts";
import { sql as toolVerdicts } from "./0022-tool-verdicts.ts";
import { sql as taskDefaults } from "./0023-task-defaults.ts";
import { sql as logins } from "./0024-logins.ts";
import { sql as embeddings } from "./0025-embeddings.ts";
import { sql as profile } from "./0026-profile.ts";

/** In order. A store's `user_version` is the number of applied migrations. Forward only, never edited. */
export const ENGINE_MIGRATIONS: readonly string[] = [
  runState,
  durableTurns,
  toolDefinitions,
  compaction,
  plan,
  memory,
  memoryIndex,
  engineState,
  learning,
  eventLog,
  usage,
  attachments,
  modelRequests,
  toolServers,
  tasks,
  checkpoints,
  inbox,
  clientTools,
  turnOutput,
  artifacts,
  turnNotices,
  toolVerdicts,
  taskDefaults,
  logins,
  embeddings,
  profile,
];
