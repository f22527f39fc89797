import type * as z from "zod/mini";
import { SESSION_RESPONSES } from "../console/session.ts";
import { openApiDocument } from "../response-schemas.ts";
import { AUDIT_RESPONSES } from "./audit.ts";
import { BACKUP_RESPONSES } from "./backup.ts";
import { CATALOG_RESPONSES } from "./catalog.ts";
import { KNOWLEDGE_RESPONSES } from "./knowledge.ts";
import { CONNECTION_RESPONSES } from "./connection.ts";
import { ENGINE_RECORD_RESPONSES } from "./engine.ts";
import { errorBody } from "./error-body.ts";
import { EVENT_RESPONSES } from "./event.ts";
import { HOST_RESPONSES } from "./host.ts";
import { IDENTITY_RESPONSES } from "./identity-token.ts";
import { NOTIFICATION_RESPONSES } from "./notification.ts";
import { PLAN_RESPONSES } from "./plan.ts";
import { PRODUCT_RESPONSES } from "./product.ts";
import { QUESTION_RESPONSES } from "./question.ts";
import { SAMPLE_RESPONSES } from "./sample.ts";
import { SCHEDULE_RESPONSES } from "./schedule.ts";
import { SECRET_RESPONSES } from "./secret.ts";
import { USAGE_RESPONSES } from "./usage.ts";
import { USER_TOKEN_RESPONSES } from "./user-token.ts";

/** The schemas of all response bodies of the orchestrator, by their names in the OpenAPI document. */
export const ORCHESTRATOR_RESPONSES = {
  ...PRODUCT_RESPONSES,
  ...PLAN_RESPONSES,
  ...CATALOG_RESPONSES,
  ...KNOWLEDGE_RESPONSES,
  ...ENGINE_RECORD_RESPONSES,
  ...EVENT_RESPONSES,
  ...SCHEDULE_RESPONSES,
  ...NOTIFICATION_RESPONSES,
  ...SECRET_RESPONSES,
  ...USER_TOKEN_RESPONSES,
  ...QUESTION_RESPONSES,
  ...CONNECTION_RESPONSES,
  ...HOST_RESPONSES,
  ...IDENTITY_RESPONSES,
  ...BACKUP_RESPONSES,
  ...USAGE_RESPONSES,
  ...SESSION_RESPONSES,
  ...SAMPLE_RESPONSES,
  ...AUDIT_RESPONSES,
  OpenApiDocument: openApiDocument,
  Error: errorBody,
} as const satisfies Record<string, z.ZodMiniType>;
export type OrchestratorResponseName = keyof typeof ORCHESTRATOR_RESPONSES;
