import * as z from "zod/mini";
import { engineStatus } from "./status.ts";
import { ENGINE_CATALOG_RESPONSES } from "./catalog.ts";
import { ENGINE_KNOWLEDGE_RESPONSES } from "./knowledge-result.ts";
import { BRANCH_RESPONSES } from "./branch.ts";
import { CLIENT_TOOL_RESPONSES } from "./client-tool.ts";
import { engineErrorBody } from "./error-body.ts";
import { TURN_EVENT_RESPONSES } from "./events.ts";
import { FILE_RESPONSES } from "./file.ts";
import { engineHealth } from "./health.ts";
import { HUMAN_REQUEST_RESPONSES } from "./human-request.ts";
import { INBOX_RESPONSES } from "./inbox.ts";
import { LEARNING_RESPONSES } from "./learning.ts";
import { MEMORY_FILE_RESPONSES } from "./memory-file.ts";
import { MEMORY_RESPONSES } from "./memory.ts";
import { questionReport } from "./open-question.ts";
import { count, openApiDocument } from "../response-schemas.ts";
import { PROFILE_RESPONSES } from "./profile.ts";
import { startedTurn } from "./turn.ts";
import { loginTargets } from "./tool-login.ts";
import { TOOL_HOOK_RESPONSES } from "./tool-hook.ts";
import { TOOL_SERVER_RESPONSES } from "./tool-server.ts";
import { TASK_RESPONSES } from "./task.ts";
import { TURN_RESPONSES } from "./turn.ts";

/** The schemas of all response bodies of the engine, by their names in the OpenAPI document. */
export const ENGINE_RESPONSES = {
  EngineHealth: engineHealth,
  ...TURN_EVENT_RESPONSES,
  ...TURN_RESPONSES,
  ...INBOX_RESPONSES,
  ...TASK_RESPONSES,
  ...HUMAN_REQUEST_RESPONSES,
  ...CLIENT_TOOL_RESPONSES,
  ...TOOL_SERVER_RESPONSES,
  ...ENGINE_CATALOG_RESPONSES,
  ...ENGINE_KNOWLEDGE_RESPONSES,
  ...MEMORY_RESPONSES,
  ...MEMORY_FILE_RESPONSES,
  ...LEARNING_RESPONSES,
  ...PROFILE_RESPONSES,
  ...BRANCH_RESPONSES,
  ...FILE_RESPONSES,
  ...TOOL_HOOK_RESPONSES,
  LoginTargets: loginTargets,
  QuestionReport: questionReport,
  Error: engineErrorBody,
  OpenApiDocument: openApiDocument,
  KeysAccepted: z.object({ keys: count }),
  EngineStatus: engineStatus,
  StartedTurn: startedTurn,
  FoundTurn: z.object({ turn: z.nullable(startedTurn) }),
} as const satisfies Record<string, z.ZodMiniType>;
export type EngineResponseName = keyof typeof ENGINE_RESPONSES;
