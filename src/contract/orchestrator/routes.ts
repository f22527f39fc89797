import type { OrchestratorErrorCode } from "./errors.ts";
import { CATALOG_ROUTES } from "./routes/catalog.ts";
import { CONNECTION_ROUTES } from "./routes/connection.ts";
import { CONSOLE_ROUTES } from "../console/routes.ts";
import { USER_ENGINE_ROUTES } from "./routes/engine.ts";
import { DOCUMENT_ROUTES, HOST_ROUTES, PROBE_ROUTES } from "./routes/host.ts";
import { IDENTITY_ROUTES } from "./routes/identity.ts";
import { KNOWLEDGE_ROUTES } from "./routes/knowledge.ts";
import { NOTIFICATION_ROUTES } from "./routes/notification.ts";
import { PLAN_ROUTES } from "./routes/plan.ts";
import { PRODUCT_ROUTES } from "./routes/product.ts";
import { USAGE_ROUTES } from "./routes/usage.ts";
import { QUESTION_ROUTES } from "./routes/question.ts";
import { SCHEDULE_ROUTES } from "./routes/schedule.ts";
import { SECRET_ROUTES } from "./routes/secret.ts";
import { USER_TOKEN_ROUTES } from "./routes/user-token.ts";
import { roleFor } from "../route-table.ts";
import type { Route } from "./routes/route-row.ts";

/** Every route of the orchestrator. Another path is 404, another method on one of these paths 405. */
export const ORCHESTRATOR_ROUTES = {
  ...PROBE_ROUTES,
  ...PRODUCT_ROUTES,
  ...PLAN_ROUTES,
  ...USER_ENGINE_ROUTES,
  ...USER_TOKEN_ROUTES,
  ...QUESTION_ROUTES,
  ...CONNECTION_ROUTES,
  ...CATALOG_ROUTES,
  ...KNOWLEDGE_ROUTES,
  ...USAGE_ROUTES,
  ...SCHEDULE_ROUTES,
  ...NOTIFICATION_ROUTES,
  ...SECRET_ROUTES,
  ...HOST_ROUTES,
  ...IDENTITY_ROUTES,
  ...CONSOLE_ROUTES,
  ...DOCUMENT_ROUTES,
};
export type RouteName = keyof typeof ORCHESTRATOR_ROUTES;

/** The error codes of a route. */
export function errorsOf(route: Route): readonly OrchestratorErrorCode[] {
  const { auth, method, role, headers = {}, errors = [] } = route;
  const takesBody = method === "POST" || method === "PUT" || method === "PATCH";
  const codes: readonly OrchestratorErrorCode[] = [
    "INVALID_REQUEST",
    ...(auth === "platform" ? (["INVALID_PLATFORM_KEY", "PRODUCT_NOT_FOUND", "RATE_LIMITED"] as const) : []),
    ...(auth === "admin" || auth === "admin_key" || auth === "local" ? (["INVALID_ADMIN_KEY"] as const) : []),
    ...(role === undefined ? [] : (["INVALID_SESSION"] as const)),
    ...(roleFor(route, route.query ?? {}) === "viewer" || role === undefined ? [] : (["INSUFFICIENT_ROLE"] as const)),
    ...(takesBody ? (["PAYLOAD_TOO_LARGE"] as const) : []),
    ...("Idempotency-Key" in headers ? (["IDEMPOTENCY_CONFLICT", "OPERATION_IN_PROGRESS"] as const) : []),
    ...errors,
    "INTERNAL_ERROR",
    ...(auth === "none" ? [] : (["SERVICE_UNAVAILABLE"] as const)),
  ];
  return [...new Set(codes)];
}
