// Written by "npm run generate" from the names of the files in this folder.

import * as products from "./0001-products.ts";
import * as engines from "./0002-engines.ts";
import * as ports from "./0003-ports.ts";
import * as events from "./0004-events.ts";
import * as auditLog from "./0005-audit-log.ts";
import * as hosts from "./0006-hosts.ts";
import * as idempotencyKeys from "./0007-idempotency-keys.ts";
import * as engineUsers from "./0008-engine-users.ts";
import * as sleeping from "./0009-sleeping.ts";
import * as catalogs from "./0010-catalogs.ts";
import * as usage from "./0011-usage.ts";
import * as schedules from "./0012-schedules.ts";
import * as engineHandles from "./0013-engine-handles.ts";
import * as budgets from "./0014-budgets.ts";
import * as leaders from "./0015-leaders.ts";
import * as consoleSessions from "./0016-console-sessions.ts";
import * as pausedSchedules from "./0017-paused-schedules.ts";
import * as productDeletion from "./0018-product-deletion.ts";
import * as waitingRequests from "./0019-waiting-requests.ts";
import * as userTokens from "./0020-user-tokens.ts";
import * as notifications from "./0021-notifications.ts";
import * as consolePeople from "./0022-console-people.ts";
import * as endUsers from "./0023-end-users.ts";
import * as toolHooks from "./0024-tool-hooks.ts";
import * as failingEndpoints from "./0025-failing-endpoints.ts";
import * as secrets from "./0026-secrets.ts";
import * as identityKeys from "./0027-identity-keys.ts";
import * as connections from "./0028-connections.ts";
import * as budgetReservations from "./0029-budget-reservations.ts";
import * as revocations from "./0031-revocations.ts";
import * as knowledge from "./0032-knowledge.ts";
import * as plans from "./0033-plans.ts";
import * as openQuestions from "./0034-open-questions.ts";
import * as runModels from "./0035-run-models.ts";
import * as enginesWithoutPorts from "./0036-engines-without-ports.ts";

/** Every migration by name, in order. */
export const ORCHESTRATOR_MIGRATIONS = {
  "0001-products": products,
  "0002-engines": engines,
  "0003-ports": ports,
  "0004-events": events,
  "0005-audit-log": auditLog,
  "0006-hosts": hosts,
  "0007-idempotency-keys": idempotencyKeys,
  "0008-engine-users": engineUsers,
  "0009-sleeping": sleeping,
  "0010-catalogs": catalogs,
  "0011-usage": usage,
  "0012-schedules": schedules,
  "0013-engine-handles": engineHandles,
  "0014-budgets": budgets,
  "0015-leaders": leaders,
  "0016-console-sessions": consoleSessions,
  "0017-paused-schedules": pausedSchedules,
  "0018-product-deletion": productDeletion,
  "0019-waiting-requests": waitingRequests,
  "0020-user-tokens": userTokens,
  "0021-notifications": notifications,
  "0022-console-people": consolePeople,
  "0023-end-users": endUsers,
  "0024-tool-hooks": toolHooks,
  "0025-failing-endpoints": failingEndpoints,
  "0026-secrets": secrets,
  "0027-identity-keys": identityKeys,
  "0028-connections": connections,
  "0029-budget-reservations": budgetReservations,
  "0031-revocations": revocations,
  "0032-knowledge": knowledge,
  "0033-plans": plans,
  "0034-open-questions": openQuestions,
  "0035-run-models": runModels,
  "0036-engines-without-ports": enginesWithoutPorts,
};
