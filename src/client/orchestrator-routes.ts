// Written by "npm run generate" from the route tables in src/contract.

import type { AnswerQuestionRequest, AuditPage, BackupList, BackupRun, CatalogHistory, CatalogPushed, ChangeEndpointRequest, ChangeEngineRequest, ChangeScheduleRequest, ChangeWebhookRequest, Connections, CreateEndpointRequest, CreateLinkRequest, CreateScheduleRequest, CreateUserTokenRequest, CreateWebhookRequest, Disconnected, EngineDestroyed, EngineKeyRotated, EnginePage, EnginePolicy, EngineRecord, EngineStopped, EngineWithKey, EventPage, HostHealth, HostReadiness, HostReport, HostSamples, HostStatus, IdentityIssuer, IdentityKeyRotation, IdentityKeys, KnowledgeDocumentDeleted, KnowledgeDocumentPut, KnowledgeDocumentShown, KnowledgeFound, LoginClient, LoginLink, MasterRotation, NotificationDelivery, NotificationDeliveryPage, NotificationEndpoint, NotificationEndpointDeleted, NotificationEndpointWithSecret, NotificationEndpoints, NotificationsReplayed, Plan, PlanDeleted, PlanList, PricesRecord, ProductCatalogRecord, ProductDeleted, ProductKnowledge, ProductPage, ProductRecord, ProductWithKey, ProvisionEngineRequest, QuestionAnswered, QuestionPage, RegisterProductRequest, ReplayDeliveriesRequest, RestartEngineRequest, RollbackCatalogRequest, RotateEndpointSecretRequest, RotateEngineKeyRequest, RotateIdentityKeyRequest, RotateMasterRequest, RotateToolHookSecretRequest, RotateWebhookSecretRequest, RunPage, RunRecord, ScheduleDeleted, SchedulePage, ScheduleRecord, SearchDocumentsRequest, SecretDeleted, SecretRecord, Secrets, SessionEnded, SessionLink, SessionPage, SessionRecord, SetEnginePolicyRequest, SetPlanRequest, SetPlatformKeyHashRequest, SetPolicyRequest, SetProductSecretRequest, SetUserSecretRequest, SignInOptions, SignInRequest, SignedOut, StopEngineRequest, ToolHookSecret, UsagePage, UsageSamples, UserToken, UserTokensRevoked, WebhookDeleted, WebhookPage, WebhookRecord, WebhookWithSecret } from "./records.ts";
import type { Route } from "./route.ts";

export type HealthParams = object;

/** Liveness, and the `host_id`. It runs no query. */
export const health: Route<HealthParams, HostHealth> = {
  method: "GET",
  path: "/health",
};

export type ReadyParams = object;

/** Readiness: 200, or 503 with the reason. */
export const ready: Route<ReadyParams, HostReadiness> = {
  method: "GET",
  path: "/ready",
};

export interface RegisterProductParams {
  /** The same key and body within 24 h get the first response again, without its secret */
  readonly idempotencyKey?: string | undefined;
  /** A unique name, which calls accept instead of the id. */
  readonly slug: RegisterProductRequest["slug"];
  /** A name for people. */
  readonly name?: RegisterProductRequest["name"] | undefined;
  /** Fields of the policy. The others have their defaults. */
  readonly policy?: RegisterProductRequest["policy"] | undefined;
  /** The SHA-256 of a key that the caller has made, as 64 lower-case hex digits. Without it the daemon makes one. */
  readonly apiKeyHash?: RegisterProductRequest["api_key_hash"] | undefined;
  /** The key's first characters, which identify it to people. */
  readonly keyPrefix?: RegisterProductRequest["key_prefix"] | undefined;
  /** The key's last characters. */
  readonly keyLast4?: RegisterProductRequest["key_last4"] | undefined;
}

/** Register a product. */
export const registerProduct: Route<RegisterProductParams, ProductWithKey> = {
  method: "POST",
  path: "/products/register",
  headers: ["Idempotency-Key"],
  body: ["slug","name","policy","api_key_hash","key_prefix","key_last4"],
  repeatable: false,
};

export interface ListProductsParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
}

/** List products. */
export const listProducts: Route<ListProductsParams, ProductPage> = {
  method: "GET",
  path: "/products",
  query: ["limit","cursor"],
};

export interface ShowProductParams {
  /** Id or slug of the product */
  readonly productId: string;
}

/** Get a product. */
export const showProduct: Route<ShowProductParams, ProductRecord> = {
  method: "GET",
  path: "/products/{product_id}",
};

export interface DeleteProductParams {
  /** Id or slug of the product */
  readonly productId: string;
  /** Destroy its engines first */
  readonly force?: boolean | undefined;
}

/** Delete a product. */
export const deleteProduct: Route<DeleteProductParams, ProductDeleted> = {
  method: "DELETE",
  path: "/products/{product_id}",
  query: ["force"],
  repeatable: false,
  timeout: "boot",
};

export interface SetPolicyParams {
  /** Id or slug of the product */
  readonly productId: string;
  readonly body: SetPolicyRequest;
}

/** Change the policy, at once. */
export const setPolicy: Route<SetPolicyParams, ProductRecord> = {
  method: "PUT",
  path: "/products/{product_id}/policy",
  body: "whole",
};

export interface RotateToolHookSecretParams {
  /** Id or slug of the product */
  readonly productId: string;
  /** The new secret. Made when omitted. */
  readonly secret?: RotateToolHookSecretRequest["secret"] | undefined;
  /** Seconds in which calls are signed with both secrets. 0 when omitted. */
  readonly graceS?: RotateToolHookSecretRequest["grace_s"] | undefined;
}

/** Replace the secret that signs calls of the product's hook on tools. */
export const rotateToolHookSecret: Route<RotateToolHookSecretParams, ToolHookSecret> = {
  method: "POST",
  path: "/products/{product_id}/tool-hook/rotate-secret",
  body: ["secret","grace_s"],
  repeatable: false,
};

export interface SetPlatformKeyHashParams {
  /** Id or slug of the product */
  readonly productId: string;
  /** The SHA-256 of the new key, as 64 lower-case hex digits. */
  readonly apiKeyHash: SetPlatformKeyHashRequest["api_key_hash"];
  /** The key's first characters, which identify it to people. */
  readonly keyPrefix?: SetPlatformKeyHashRequest["key_prefix"] | undefined;
  /** The key's last characters. */
  readonly keyLast4?: SetPlatformKeyHashRequest["key_last4"] | undefined;
  /** How many seconds the old key is accepted too. Left out, it ends at once. */
  readonly graceS?: SetPlatformKeyHashRequest["grace_s"] | undefined;
}

/** Replace the platform key by the hash of a new one. */
export const setPlatformKeyHash: Route<SetPlatformKeyHashParams, ProductRecord> = {
  method: "PUT",
  path: "/products/{product_id}/platform-key-hash",
  body: ["api_key_hash","key_prefix","key_last4","grace_s"],
  repeatable: false,
};

export interface ListPlansParams {
  /** Id or slug of the product */
  readonly productId: string;
}

/** List the plans of a product. */
export const listPlans: Route<ListPlansParams, PlanList> = {
  method: "GET",
  path: "/products/{product_id}/plans",
};

export interface ShowPlanParams {
  /** Id or slug of the product */
  readonly productId: string;
  /** Name of the plan */
  readonly plan: string;
}

/** Get a plan. */
export const showPlan: Route<ShowPlanParams, Plan> = {
  method: "GET",
  path: "/products/{product_id}/plans/{plan}",
};

export interface SetPlanParams {
  /** Id or slug of the product */
  readonly productId: string;
  /** Name of the plan */
  readonly plan: string;
  readonly body: SetPlanRequest;
}

/** Create a plan, or replace what it sets. */
export const setPlan: Route<SetPlanParams, Plan> = {
  method: "PUT",
  path: "/products/{product_id}/plans/{plan}",
  body: "whole",
};

export interface DeletePlanParams {
  /** Id or slug of the product */
  readonly productId: string;
  /** Name of the plan */
  readonly plan: string;
  /** The plan that its engines get */
  readonly replaceBy?: string | undefined;
}

/** Delete a plan that no engine has. */
export const deletePlan: Route<DeletePlanParams, PlanDeleted> = {
  method: "DELETE",
  path: "/products/{product_id}/plans/{plan}",
  query: ["replace_by"],
};

export interface SetEnginePolicyParams {
  /** Id or slug of the product */
  readonly productId: string;
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  readonly body: SetEnginePolicyRequest;
}

/** Replace what is set for one engine alone, before its plan. */
export const setEnginePolicy: Route<SetEnginePolicyParams, EnginePolicy> = {
  method: "PUT",
  path: "/products/{product_id}/engines/{user_id}/policy",
  body: "whole",
};

export interface ChangeEngineParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** The name of one of the product's [plans](plans.md). `null`: none. Left out, it stays as it is. */
  readonly plan?: ChangeEngineRequest["plan"] | undefined;
  /** Replaces the object that `provision` stored. */
  readonly metadata?: ChangeEngineRequest["metadata"] | undefined;
}

/** Change an engine's plan or metadata. */
export const changeEngine: Route<ChangeEngineParams, EngineRecord> = {
  method: "PATCH",
  path: "/engines/{user_id}",
  body: ["plan","metadata"],
};

export interface EnginePolicyParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
}

/** Get what holds for an engine, and whether the engine, its plan or the product says so. */
export const enginePolicy: Route<EnginePolicyParams, EnginePolicy> = {
  method: "GET",
  path: "/engines/{user_id}/policy",
};

export interface ProvisionEngineParams {
  /** The same key and body within 24 h get the first response again, without its secret */
  readonly idempotencyKey?: string | undefined;
  /** The product's id of the user. */
  readonly userId: ProvisionEngineRequest["user_id"];
  /** Any JSON object of at most 16 KiB. It is stored, and shown in the engine's record. */
  readonly metadata?: ProvisionEngineRequest["metadata"] | undefined;
  /** The name of one of the product's [plans](plans.md). An engine that exists keeps its plan. */
  readonly plan?: ProvisionEngineRequest["plan"] | undefined;
  /** `false` only creates the engine. Left out, it starts. */
  readonly start?: ProvisionEngineRequest["start"] | undefined;
}

/** Create an engine. */
export const provisionEngine: Route<ProvisionEngineParams, EngineWithKey> = {
  method: "POST",
  path: "/engines/provision",
  headers: ["Idempotency-Key"],
  body: ["user_id","metadata","plan","start"],
  timeout: "boot",
};

export interface AdmitEngineParams {
  /** The same key and body within 24 h get the first response again, without its secret */
  readonly idempotencyKey?: string | undefined;
  /** The product's id of the user. */
  readonly userId: ProvisionEngineRequest["user_id"];
  /** Any JSON object of at most 16 KiB. It is stored, and shown in the engine's record. */
  readonly metadata?: ProvisionEngineRequest["metadata"] | undefined;
  /** The name of one of the product's [plans](plans.md). An engine that exists keeps its plan. */
  readonly plan?: ProvisionEngineRequest["plan"] | undefined;
  /** `false` only creates the engine. Left out, it starts. */
  readonly start?: ProvisionEngineRequest["start"] | undefined;
}

/** Create an engine, or return the existing one, started if it is stopped and woken if it sleeps. */
export const admitEngine: Route<AdmitEngineParams, EngineWithKey> = {
  method: "POST",
  path: "/engines/admit",
  headers: ["Idempotency-Key"],
  body: ["user_id","metadata","plan","start"],
  timeout: "boot",
};

export interface ListEnginesParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
  /** Engines in this state */
  readonly state?: "provisioning" | "starting" | "running" | "unhealthy" | "sleeping" | "backoff" | "stopping" | "stopped" | "failed" | "stop_failed" | "destroying" | undefined;
}

/** List engines. */
export const listEngines: Route<ListEnginesParams, EnginePage> = {
  method: "GET",
  path: "/engines",
  query: ["limit","cursor","state"],
};

export interface ShowEngineParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Create the engine when there is none (201) */
  readonly autoProvision?: boolean | undefined;
}

/** Get an engine. */
export const showEngine: Route<ShowEngineParams, EngineRecord | EngineWithKey> = {
  method: "GET",
  path: "/engines/{user_id}",
  query: ["auto_provision"],
};

export interface DestroyEngineParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Keep the engine's folder */
  readonly keepData?: boolean | undefined;
}

/** Destroy an engine and the user's data. */
export const destroyEngine: Route<DestroyEngineParams, EngineDestroyed> = {
  method: "DELETE",
  path: "/engines/{user_id}",
  query: ["keep_data"],
  timeout: "boot",
};

export interface StartEngineParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** The same key and body within 24 h get the first response again, without its secret */
  readonly idempotencyKey?: string | undefined;
}

/** Start an engine. */
export const startEngine: Route<StartEngineParams, EngineRecord> = {
  method: "POST",
  path: "/engines/{user_id}/start",
  headers: ["Idempotency-Key"],
  body: [],
  timeout: "boot",
};

export interface StopEngineParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** The same key and body within 24 h get the first response again, without its secret */
  readonly idempotencyKey?: string | undefined;
  /** How many seconds running turns get to end. Left out: the policy's `drain_s`. */
  readonly drainS?: StopEngineRequest["drain_s"] | undefined;
  /** `true` waits for no turn. */
  readonly force?: StopEngineRequest["force"] | undefined;
}

/** Stop an engine. */
export const stopEngine: Route<StopEngineParams, EngineStopped> = {
  method: "POST",
  path: "/engines/{user_id}/stop",
  headers: ["Idempotency-Key"],
  body: ["drain_s","force"],
  timeout: "boot",
};

export interface SleepEngineParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** The same key and body within 24 h get the first response again, without its secret */
  readonly idempotencyKey?: string | undefined;
}

/** Put an engine to sleep until its next call. */
export const sleepEngine: Route<SleepEngineParams, EngineRecord> = {
  method: "POST",
  path: "/engines/{user_id}/sleep",
  headers: ["Idempotency-Key"],
  body: [],
  timeout: "boot",
};

export interface RotateEngineKeyParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** The same key and body within 24 h get the first response again, without its secret */
  readonly idempotencyKey?: string | undefined;
  /** How many seconds the old key is accepted too. Left out, it ends at once. */
  readonly graceS?: RotateEngineKeyRequest["grace_s"] | undefined;
}

/** Replace the engine's key. */
export const rotateEngineKey: Route<RotateEngineKeyParams, EngineKeyRotated> = {
  method: "POST",
  path: "/engines/{user_id}/rotate-key",
  headers: ["Idempotency-Key"],
  body: ["grace_s"],
  repeatable: false,
  timeout: "boot",
};

export interface WaitForEngineParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** The state to wait for */
  readonly state?: "provisioning" | "starting" | "running" | "unhealthy" | "sleeping" | "backoff" | "stopping" | "stopped" | "failed" | "stop_failed" | "destroying" | undefined;
  /** How long to wait, in seconds */
  readonly timeoutS?: number | undefined;
}

/** Wait until the engine reaches a state. */
export const waitForEngine: Route<WaitForEngineParams, EngineRecord> = {
  method: "GET",
  path: "/engines/{user_id}/wait",
  query: ["state","timeout_s"],
};

export interface EngineLogsParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** How many of the last lines */
  readonly tail?: number | undefined;
  /** Stream each new line */
  readonly follow?: boolean | undefined;
}

/** Read the engine's log as plain text. */
export const engineLogs: Route<EngineLogsParams, never> = {
  method: "GET",
  path: "/engines/{user_id}/logs",
  query: ["tail","follow"],
};

export interface EngineEventsParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
  /** With `Accept: text/event-stream`: the last event that was received */
  readonly lastEventId?: string | undefined;
}

/** List the events of a user's engines, or follow them as a stream. */
export const engineEvents: Route<EngineEventsParams, EventPage> = {
  method: "GET",
  path: "/engines/{user_id}/events",
  query: ["limit","cursor"],
  headers: ["Last-Event-ID"],
};

export interface EventsParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
  /** With `Accept: text/event-stream`: the last event that was received */
  readonly lastEventId?: string | undefined;
}

/** List the events of the product, or follow them as a stream. */
export const events: Route<EventsParams, EventPage> = {
  method: "GET",
  path: "/events",
  query: ["limit","cursor"],
  headers: ["Last-Event-ID"],
};

export interface CreateUserTokenParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Seconds until it ends. 900 when omitted. */
  readonly ttlS?: CreateUserTokenRequest["ttl_s"] | undefined;
  /** What it [permits](browser.md#scopes), separated by spaces. */
  readonly scope?: CreateUserTokenRequest["scope"] | undefined;
  /** The only [tasks](browser.md#some-tasks-alone) that it reaches, `{ids}` or `{prefix}`, in at most 1 KiB. All when omitted. */
  readonly tasks?: CreateUserTokenRequest["tasks"] | undefined;
  /** An object that the audit log keeps with the token's id, at most 1 KiB. */
  readonly metadata?: CreateUserTokenRequest["metadata"] | undefined;
}

/** Create a token with which the user's browser calls the engine. */
export const createUserToken: Route<CreateUserTokenParams, UserToken> = {
  method: "POST",
  path: "/engines/{user_id}/tokens",
  body: ["ttl_s","scope","tasks","metadata"],
  repeatable: false,
};

export interface RevokeUserTokensParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
}

/** End all tokens of a user, and the streams that they opened. */
export const revokeUserTokens: Route<RevokeUserTokensParams, UserTokensRevoked> = {
  method: "POST",
  path: "/engines/{user_id}/tokens/revoke",
};

export interface ListQuestionsParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
  /** Only questions of this user's engine */
  readonly userId?: string | undefined;
}

/** List the open questions and permission prompts of all users, without waking their engines. */
export const listQuestions: Route<ListQuestionsParams, QuestionPage> = {
  method: "GET",
  path: "/questions",
  query: ["limit","cursor","user_id"],
};

export interface AnswerQuestionParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Id of the question */
  readonly requestId: string;
  /** One of its `options`. Other text, of 1 to 100,000 characters, only if its `context.allow_free_text` is `true`. */
  readonly answer: AnswerQuestionRequest["answer"];
}

/** Answer an open question, as the engine's `POST /hitl/respond`; the answer wakes a sleeping engine. */
export const answerQuestion: Route<AnswerQuestionParams, QuestionAnswered> = {
  method: "POST",
  path: "/engines/{user_id}/questions/{request_id}",
  body: ["answer"],
  timeout: "boot",
};

export interface AdminQuestionsParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
  /** Only questions of this user's engine */
  readonly userId?: string | undefined;
  /** Only questions of this product, by id or slug */
  readonly productId?: string | undefined;
}

/** List the open questions of every product. */
export const adminQuestions: Route<AdminQuestionsParams, QuestionPage> = {
  method: "GET",
  path: "/admin/questions",
  query: ["limit","cursor","user_id","product_id"],
};

export interface ListConnectionsParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
}

/** List the user's logins at tool servers. */
export const listConnections: Route<ListConnectionsParams, Connections> = {
  method: "GET",
  path: "/engines/{user_id}/connections",
};

export interface BeginConnectionParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** The tool server's name in the catalog */
  readonly server: string;
}

/** Make a link with which the user signs in to a tool server. */
export const beginConnection: Route<BeginConnectionParams, LoginLink> = {
  method: "POST",
  path: "/engines/{user_id}/connections/{server}",
  timeout: "boot",
};

export interface DeleteConnectionParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** The tool server's name in the catalog */
  readonly server: string;
}

/** End a login at a tool server, there too. */
export const deleteConnection: Route<DeleteConnectionParams, Disconnected> = {
  method: "DELETE",
  path: "/engines/{user_id}/connections/{server}",
};

export type LoginClientParams = object;

/** What authorization servers read about this deployment as a client. */
export const loginClient: Route<LoginClientParams, LoginClient> = {
  method: "GET",
  path: "/oauth/client.json",
};

export type ShowProductCatalogParams = object;

/** Get the current version of the product's catalog with its files. */
export const showProductCatalog: Route<ShowProductCatalogParams, ProductCatalogRecord> = {
  method: "GET",
  path: "/catalog",
};

export interface PushCatalogParams {
  /** Check the archive, and change nothing */
  readonly dryRun?: boolean | undefined;
  /** With `dry_run`: a call as JSON, `{tool, input}`, to say which rule decides it */
  readonly try?: string | undefined;
  /** The `ETag` of the version to replace, such as `"12"`; another one is refused */
  readonly ifMatch?: string | undefined;
  readonly body: Blob;
}

/** Replace the product's catalog by the files of a tar.gz archive. */
export const pushCatalog: Route<PushCatalogParams, CatalogPushed> = {
  method: "PUT",
  path: "/catalog",
  query: ["dry_run","try"],
  headers: ["If-Match"],
  upload: "application/gzip",
  timeout: "boot",
};

export type CatalogHistoryParams = object;

/** List the stored versions of the product's catalog, the newest first. */
export const catalogHistory: Route<CatalogHistoryParams, CatalogHistory> = {
  method: "GET",
  path: "/catalog/history",
};

export interface RollbackCatalogParams {
  /** The `ETag` of the version to replace, such as `"12"`; another one is refused */
  readonly ifMatch?: string | undefined;
  /** The version whose files become current again. 0 is the catalog without a file. */
  readonly version: RollbackCatalogRequest["version"];
}

/** Make the files of an earlier version current again. */
export const rollbackCatalog: Route<RollbackCatalogParams, CatalogPushed> = {
  method: "POST",
  path: "/catalog/rollback",
  headers: ["If-Match"],
  body: ["version"],
  timeout: "boot",
};

export interface CatalogArchiveParams {
  /** The number of a version */
  readonly version: string;
}

/** Get the archive of a version, as it was pushed. */
export const catalogArchive: Route<CatalogArchiveParams, never> = {
  method: "GET",
  path: "/catalog/versions/{version}/archive",
};

export type ListDocumentsParams = object;

/** List the documents of the product's knowledge. */
export const listDocuments: Route<ListDocumentsParams, ProductKnowledge> = {
  method: "GET",
  path: "/knowledge",
};

export interface ShowDocumentParams {
  /** Path of the document, percent-encoded, also its slashes */
  readonly documentPath: string;
}

/** Get a document with its passages, as engines search it. */
export const showDocument: Route<ShowDocumentParams, KnowledgeDocumentShown> = {
  method: "GET",
  path: "/knowledge/documents/{document_path}",
};

export interface PutDocumentParams {
  /** Path of the document, percent-encoded, also its slashes */
  readonly documentPath: string;
  readonly body: Blob | string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

/** Store a document: text, Markdown, HTML or PDF, by `Content-Type` or the path. */
export const putDocument: Route<PutDocumentParams, KnowledgeDocumentPut> = {
  method: "PUT",
  path: "/knowledge/documents/{document_path}",
  upload: "application/octet-stream",
  timeout: "boot",
};

export interface DeleteDocumentParams {
  /** Path of the document, percent-encoded, also its slashes */
  readonly documentPath: string;
}

/** Delete a document. Engines do not find it a moment later. */
export const deleteDocument: Route<DeleteDocumentParams, KnowledgeDocumentDeleted> = {
  method: "DELETE",
  path: "/knowledge/documents/{document_path}",
};

export interface SearchDocumentsParams {
  /** What to find, as a user would ask it. */
  readonly query: SearchDocumentsRequest["query"];
  /** The largest number of results. */
  readonly limit?: SearchDocumentsRequest["limit"] | undefined;
}

/** Search the documents as the engines' tool does, to try a question. */
export const searchDocuments: Route<SearchDocumentsParams, KnowledgeFound> = {
  method: "POST",
  path: "/knowledge/search",
  body: ["query","limit"],
  timeout: "boot",
};

export interface ListUsageParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
  /** First UTC day, `YYYY-MM-DD`. Default: the first of this month */
  readonly since?: string | undefined;
  /** Last UTC day. Default: today */
  readonly until?: string | undefined;
  /** What to group by, separated by commas: plan, user, day, model. Default: user */
  readonly by?: string | undefined;
  /** Only this user */
  readonly userId?: string | undefined;
}

/** List what the product's users have spent. */
export const listUsage: Route<ListUsageParams, UsagePage> = {
  method: "GET",
  path: "/usage",
  query: ["limit","cursor","since","until","by","user_id"],
};

export interface EngineUsageParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
  /** First UTC day, `YYYY-MM-DD`. Default: the first of this month */
  readonly since?: string | undefined;
  /** Last UTC day. Default: today */
  readonly until?: string | undefined;
  /** What to group by, separated by commas: day, model. Default: day */
  readonly by?: string | undefined;
}

/** List what one user has spent, also after the engine is destroyed. */
export const engineUsage: Route<EngineUsageParams, UsagePage> = {
  method: "GET",
  path: "/engines/{user_id}/usage",
  query: ["limit","cursor","since","until","by"],
};

export interface AdminUsageParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
  /** First UTC day, `YYYY-MM-DD`. Default: the first of this month */
  readonly since?: string | undefined;
  /** Last UTC day. Default: today */
  readonly until?: string | undefined;
  /** What to group by, separated by commas: product, plan, user, day, model. Default: product */
  readonly by?: string | undefined;
  /** Only this product, by id or slug */
  readonly productId?: string | undefined;
  /** Only this user */
  readonly userId?: string | undefined;
}

/** List what the users of every product have spent. */
export const adminUsage: Route<AdminUsageParams, UsagePage> = {
  method: "GET",
  path: "/admin/usage",
  query: ["limit","cursor","since","until","by","product_id","user_id"],
};

export type ReloadPricesParams = object;

/** Read the price table again; 400 names its faults. */
export const reloadPrices: Route<ReloadPricesParams, PricesRecord> = {
  method: "POST",
  path: "/admin/prices/reload",
  body: [],
};

export interface CreateScheduleParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** The same key and body within 24 h get the first response again, without its secret */
  readonly idempotencyKey?: string | undefined;
  readonly body: CreateScheduleRequest;
}

/** Create a schedule. */
export const createSchedule: Route<CreateScheduleParams, ScheduleRecord> = {
  method: "POST",
  path: "/engines/{user_id}/schedules",
  headers: ["Idempotency-Key"],
  body: "whole",
  timeout: "boot",
};

export interface ListSchedulesParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
}

/** List the schedules of an engine, with their next and last runs. */
export const listSchedules: Route<ListSchedulesParams, SchedulePage> = {
  method: "GET",
  path: "/engines/{user_id}/schedules",
  query: ["limit","cursor"],
};

export interface ShowScheduleParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Id of the schedule */
  readonly scheduleId: string;
}

/** Get a schedule. */
export const showSchedule: Route<ShowScheduleParams, ScheduleRecord> = {
  method: "GET",
  path: "/engines/{user_id}/schedules/{schedule_id}",
};

export interface ChangeScheduleParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Id of the schedule */
  readonly scheduleId: string;
  readonly body: ChangeScheduleRequest;
}

/** Change, pause or resume a schedule. */
export const changeSchedule: Route<ChangeScheduleParams, ScheduleRecord> = {
  method: "PATCH",
  path: "/engines/{user_id}/schedules/{schedule_id}",
  body: "whole",
};

export interface DeleteScheduleParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Id of the schedule */
  readonly scheduleId: string;
}

/** Delete a schedule and its runs. */
export const deleteSchedule: Route<DeleteScheduleParams, ScheduleDeleted> = {
  method: "DELETE",
  path: "/engines/{user_id}/schedules/{schedule_id}",
};

export interface RunScheduleParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Id of the schedule */
  readonly scheduleId: string;
  /** The same key and body within 24 h get the first response again, without its secret */
  readonly idempotencyKey?: string | undefined;
}

/** Run a schedule now. */
export const runSchedule: Route<RunScheduleParams, RunRecord> = {
  method: "POST",
  path: "/engines/{user_id}/schedules/{schedule_id}/run",
  headers: ["Idempotency-Key"],
  body: [],
  timeout: "boot",
};

export interface ListRunsParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Id of the schedule */
  readonly scheduleId: string;
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
}

/** List the runs of a schedule, newest first. */
export const listRuns: Route<ListRunsParams, RunPage> = {
  method: "GET",
  path: "/engines/{user_id}/schedules/{schedule_id}/runs",
  query: ["limit","cursor"],
};

export interface CreateWebhookParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** The same key and body within 24 h get the first response again, without its secret */
  readonly idempotencyKey?: string | undefined;
  readonly body: CreateWebhookRequest;
}

/** Create a webhook. */
export const createWebhook: Route<CreateWebhookParams, WebhookWithSecret> = {
  method: "POST",
  path: "/engines/{user_id}/webhooks",
  headers: ["Idempotency-Key"],
  body: "whole",
  timeout: "boot",
};

export interface ListWebhooksParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
}

/** List the webhooks of an engine. */
export const listWebhooks: Route<ListWebhooksParams, WebhookPage> = {
  method: "GET",
  path: "/engines/{user_id}/webhooks",
  query: ["limit","cursor"],
};

export interface ShowWebhookParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Id of the webhook */
  readonly webhookId: string;
}

/** Get a webhook, without its secret. */
export const showWebhook: Route<ShowWebhookParams, WebhookRecord> = {
  method: "GET",
  path: "/engines/{user_id}/webhooks/{webhook_id}",
};

export interface ChangeWebhookParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Id of the webhook */
  readonly webhookId: string;
  readonly body: ChangeWebhookRequest;
}

/** Change, pause or resume a webhook. */
export const changeWebhook: Route<ChangeWebhookParams, WebhookRecord> = {
  method: "PATCH",
  path: "/engines/{user_id}/webhooks/{webhook_id}",
  body: "whole",
};

export interface DeleteWebhookParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Id of the webhook */
  readonly webhookId: string;
}

/** Delete a webhook and its runs. */
export const deleteWebhook: Route<DeleteWebhookParams, WebhookDeleted> = {
  method: "DELETE",
  path: "/engines/{user_id}/webhooks/{webhook_id}",
};

export interface RotateWebhookSecretParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Id of the webhook */
  readonly webhookId: string;
  /** The same key and body within 24 h get the first response again, without its secret */
  readonly idempotencyKey?: string | undefined;
  /** How many seconds the old secret is accepted too. Left out, it ends at once. */
  readonly graceS?: RotateWebhookSecretRequest["grace_s"] | undefined;
}

/** Replace a webhook's secret. */
export const rotateWebhookSecret: Route<RotateWebhookSecretParams, WebhookWithSecret> = {
  method: "POST",
  path: "/engines/{user_id}/webhooks/{webhook_id}/rotate-secret",
  headers: ["Idempotency-Key"],
  body: ["grace_s"],
  repeatable: false,
  timeout: "boot",
};

export interface ListWebhookRunsParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Id of the webhook */
  readonly webhookId: string;
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
}

/** List the runs of a webhook, newest first. */
export const listWebhookRuns: Route<ListWebhookRunsParams, RunPage> = {
  method: "GET",
  path: "/engines/{user_id}/webhooks/{webhook_id}/runs",
  query: ["limit","cursor"],
};

export interface CreateEndpointParams {
  readonly body: CreateEndpointRequest;
}

/** Create an endpoint that is told of events. */
export const createEndpoint: Route<CreateEndpointParams, NotificationEndpointWithSecret> = {
  method: "POST",
  path: "/notifications/endpoints",
  body: "whole",
  repeatable: false,
};

export type ListEndpointsParams = object;

/** List the endpoints of the product. */
export const listEndpoints: Route<ListEndpointsParams, NotificationEndpoints> = {
  method: "GET",
  path: "/notifications/endpoints",
};

export interface ShowEndpointParams {
  /** Id of the endpoint */
  readonly endpointId: string;
}

/** Get an endpoint, without its secret. */
export const showEndpoint: Route<ShowEndpointParams, NotificationEndpoint> = {
  method: "GET",
  path: "/notifications/endpoints/{endpoint_id}",
};

export interface ChangeEndpointParams {
  /** Id of the endpoint */
  readonly endpointId: string;
  readonly body: ChangeEndpointRequest;
}

/** Change, pause or resume an endpoint. */
export const changeEndpoint: Route<ChangeEndpointParams, NotificationEndpoint> = {
  method: "PATCH",
  path: "/notifications/endpoints/{endpoint_id}",
  body: "whole",
};

export interface DeleteEndpointParams {
  /** Id of the endpoint */
  readonly endpointId: string;
}

/** Delete an endpoint and its deliveries. */
export const deleteEndpoint: Route<DeleteEndpointParams, NotificationEndpointDeleted> = {
  method: "DELETE",
  path: "/notifications/endpoints/{endpoint_id}",
};

export interface RotateEndpointSecretParams {
  /** Id of the endpoint */
  readonly endpointId: string;
  /** Seconds in which messages are signed with both secrets. 0 when omitted. */
  readonly graceS?: RotateEndpointSecretRequest["grace_s"] | undefined;
}

/** Replace an endpoint's secret. */
export const rotateEndpointSecret: Route<RotateEndpointSecretParams, NotificationEndpointWithSecret> = {
  method: "POST",
  path: "/notifications/endpoints/{endpoint_id}/rotate-secret",
  body: ["grace_s"],
  repeatable: false,
};

export interface TestEndpointParams {
  /** Id of the endpoint */
  readonly endpointId: string;
}

/** Send a message to an endpoint that says nothing but that it is a test. */
export const testEndpoint: Route<TestEndpointParams, NotificationDelivery> = {
  method: "POST",
  path: "/notifications/endpoints/{endpoint_id}/test",
};

export interface ListDeliveriesParams {
  /** Id of the endpoint */
  readonly endpointId: string;
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
  /** Deliveries in this state */
  readonly state?: "pending" | "delivered" | "dead" | undefined;
}

/** List the deliveries of an endpoint, newest first. */
export const listDeliveries: Route<ListDeliveriesParams, NotificationDeliveryPage> = {
  method: "GET",
  path: "/notifications/endpoints/{endpoint_id}/deliveries",
  query: ["limit","cursor","state"],
};

export interface ReplayDeliveriesParams {
  /** Id of the endpoint */
  readonly endpointId: string;
  /** One delivery, whatever became of it. All dead ones when omitted. */
  readonly deliveryId?: ReplayDeliveriesRequest["delivery_id"] | undefined;
}

/** Try dead deliveries again, or one that was delivered. */
export const replayDeliveries: Route<ReplayDeliveriesParams, NotificationsReplayed> = {
  method: "POST",
  path: "/notifications/endpoints/{endpoint_id}/replay",
  body: ["delivery_id"],
};

export interface ListUserSecretsParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
}

/** List the secrets of a user, without their values. */
export const listUserSecrets: Route<ListUserSecretsParams, Secrets> = {
  method: "GET",
  path: "/engines/{user_id}/secrets",
};

export interface ShowUserSecretParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Name of the secret */
  readonly secretName: string;
}

/** Get a secret of a user, without its value. */
export const showUserSecret: Route<ShowUserSecretParams, SecretRecord> = {
  method: "GET",
  path: "/engines/{user_id}/secrets/{secret_name}",
};

export interface SetUserSecretParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Name of the secret */
  readonly secretName: string;
  readonly body: SetUserSecretRequest;
}

/** Set a secret of a user. */
export const setUserSecret: Route<SetUserSecretParams, SecretRecord> = {
  method: "PUT",
  path: "/engines/{user_id}/secrets/{secret_name}",
  body: "whole",
};

export interface DeleteUserSecretParams {
  /** The product's id of the user, 1 to 256 bytes */
  readonly userId: string;
  /** Name of the secret */
  readonly secretName: string;
}

/** Delete a secret of a user. */
export const deleteUserSecret: Route<DeleteUserSecretParams, SecretDeleted> = {
  method: "DELETE",
  path: "/engines/{user_id}/secrets/{secret_name}",
};

export interface ListProductSecretsParams {
  /** Id or slug of the product */
  readonly productId: string;
}

/** List the secrets of a product, without their values. */
export const listProductSecrets: Route<ListProductSecretsParams, Secrets> = {
  method: "GET",
  path: "/products/{product_id}/secrets",
};

export interface ShowProductSecretParams {
  /** Id or slug of the product */
  readonly productId: string;
  /** Name of the secret */
  readonly secretName: string;
}

/** Get a secret of a product, without its value. */
export const showProductSecret: Route<ShowProductSecretParams, SecretRecord> = {
  method: "GET",
  path: "/products/{product_id}/secrets/{secret_name}",
};

export interface SetProductSecretParams {
  /** Id or slug of the product */
  readonly productId: string;
  /** Name of the secret */
  readonly secretName: string;
  readonly body: SetProductSecretRequest;
}

/** Set a secret of a product. */
export const setProductSecret: Route<SetProductSecretParams, SecretRecord> = {
  method: "PUT",
  path: "/products/{product_id}/secrets/{secret_name}",
  body: "whole",
};

export interface DeleteProductSecretParams {
  /** Id or slug of the product */
  readonly productId: string;
  /** Name of the secret */
  readonly secretName: string;
}

/** Delete a secret of a product. */
export const deleteProductSecret: Route<DeleteProductSecretParams, SecretDeleted> = {
  method: "DELETE",
  path: "/products/{product_id}/secrets/{secret_name}",
};

export interface RotateMasterParams {
  /** `next` of the call before. From the beginning when omitted. */
  readonly after?: RotateMasterRequest["after"] | undefined;
}

/** Encrypt what is stored with the current secret key, for some seconds. */
export const rotateMaster: Route<RotateMasterParams, MasterRotation> = {
  method: "POST",
  path: "/admin/secrets/rotate-master",
  body: ["after"],
  timeout: "boot",
};

export interface AdminEnginesParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
  /** Engines in this state */
  readonly state?: "provisioning" | "starting" | "running" | "unhealthy" | "sleeping" | "backoff" | "stopping" | "stopped" | "failed" | "stop_failed" | "destroying" | undefined;
}

/** List the engines of every product. */
export const adminEngines: Route<AdminEnginesParams, EnginePage> = {
  method: "GET",
  path: "/admin/engines",
  query: ["limit","cursor","state"],
};

export interface RestartEngineParams {
  /** Id of the engine */
  readonly engineId: string;
  /** How many seconds running turns get to end. Left out: the policy's `drain_s`. */
  readonly drainS?: RestartEngineRequest["drain_s"] | undefined;
}

/** Restart a running engine after its running turns, with the daemon's version. */
export const restartEngine: Route<RestartEngineParams, EngineRecord> = {
  method: "POST",
  path: "/admin/engines/{engine_id}/restart",
  body: ["drain_s"],
  repeatable: false,
  timeout: "boot",
};

export interface AdminEventsParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
  /** Only events of this product, by id or slug */
  readonly productId?: string | undefined;
  /** With `Accept: text/event-stream`: the last event that was received */
  readonly lastEventId?: string | undefined;
}

/** List or follow the events of every product and of the host. */
export const adminEvents: Route<AdminEventsParams, EventPage> = {
  method: "GET",
  path: "/admin/events",
  query: ["limit","cursor","product_id"],
  headers: ["Last-Event-ID"],
};

export type AdminStatusParams = object;

/** Get the host: ports, engines by state, load, isolation, warnings. */
export const adminStatus: Route<AdminStatusParams, HostStatus> = {
  method: "GET",
  path: "/admin/status",
};

export type HostSamplesParams = object;

/** Get what the engines of the host used in the last hour, together. */
export const hostSamples: Route<HostSamplesParams, HostSamples> = {
  method: "GET",
  path: "/admin/samples",
};

export interface EngineSamplesParams {
  /** Id of the engine */
  readonly engineId: string;
}

/** Get what an engine used in the last hour. */
export const engineSamples: Route<EngineSamplesParams, UsageSamples> = {
  method: "GET",
  path: "/admin/engines/{engine_id}/samples",
};

export type CheckHostParams = object;

/** Check the daemon and its host: what is wrong, and what helps. */
export const checkHost: Route<CheckHostParams, HostReport> = {
  method: "GET",
  path: "/admin/doctor",
};

export interface AdminAuditParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
  /** Lines after this `seq` */
  readonly after?: number | undefined;
}

/** List the audit log, a hash chain. */
export const adminAudit: Route<AdminAuditParams, AuditPage> = {
  method: "GET",
  path: "/admin/audit",
  query: ["limit","cursor","after"],
};

export type ListBackupsParams = object;

/** List the backups of the host, and the one that runs. */
export const listBackups: Route<ListBackupsParams, BackupList> = {
  method: "GET",
  path: "/admin/backups",
};

export type CreateBackupParams = object;

/** Start a backup. 202 with its name; `GET /admin/backups` shows its progress. */
export const createBackup: Route<CreateBackupParams, BackupRun> = {
  method: "POST",
  path: "/admin/backups",
  body: [],
  repeatable: false,
};

export interface DrainHostParams {
  /** The same key and body within 24 h get the first response again, without its secret */
  readonly idempotencyKey?: string | undefined;
}

/** Accept no new engines. */
export const drainHost: Route<DrainHostParams, HostStatus> = {
  method: "POST",
  path: "/admin/drain",
  headers: ["Idempotency-Key"],
  body: [],
};

export interface ResumeHostParams {
  /** The same key and body within 24 h get the first response again, without its secret */
  readonly idempotencyKey?: string | undefined;
}

/** Accept new engines again. */
export const resumeHost: Route<ResumeHostParams, HostStatus> = {
  method: "POST",
  path: "/admin/resume",
  headers: ["Idempotency-Key"],
  body: [],
};

export interface ResumeSchedulesParams {
  /** The same key and body within 24 h get the first response again, without its secret */
  readonly idempotencyKey?: string | undefined;
}

/** Run the schedules that a restore left paused. */
export const resumeSchedules: Route<ResumeSchedulesParams, HostStatus> = {
  method: "POST",
  path: "/admin/schedules/resume",
  headers: ["Idempotency-Key"],
  body: [],
};

export type IdentityKeysParams = object;

/** Get the keys that verify identity tokens. */
export const identityKeys: Route<IdentityKeysParams, IdentityKeys> = {
  method: "GET",
  path: "/.well-known/jwks.json",
};

export type IdentityIssuerParams = object;

/** Get the issuer of identity tokens and the address of its keys. */
export const identityIssuer: Route<IdentityIssuerParams, IdentityIssuer> = {
  method: "GET",
  path: "/.well-known/openid-configuration",
};

export interface RotateIdentityKeyParams {
  /** Whether the new key signs at once and the others are withdrawn, because one may have leaked. `false` when omitted. */
  readonly atOnce?: RotateIdentityKeyRequest["at_once"] | undefined;
}

/** Replace the key that signs identity tokens. */
export const rotateIdentityKey: Route<RotateIdentityKeyParams, IdentityKeyRotation> = {
  method: "POST",
  path: "/admin/identity/rotate-key",
  body: ["at_once"],
  repeatable: false,
};

export type SignInOptionsParams = object;

/** How people sign in besides the admin key and links. */
export const signInOptions: Route<SignInOptionsParams, SignInOptions> = {
  method: "GET",
  path: "/console/sign-in",
};

export interface SignInParams {
  /** `1`: the call is the console's, not another site's */
  readonly xOrchdConsole?: string | undefined;
  /** The operator's key. Either this or `link` is required. */
  readonly adminKey?: SignInRequest["admin_key"] | undefined;
  /** The token of a one-time link. It has its own role. */
  readonly link?: SignInRequest["link"] | undefined;
  /** What it may do: see [roles](console.md#roles). Only with `admin_key`. Default: `admin`. */
  readonly role?: SignInRequest["role"] | undefined;
}

/** Sign in: open a session, as a cookie. */
export const signIn: Route<SignInParams, SessionRecord> = {
  method: "POST",
  path: "/console/session",
  headers: ["X-Orchd-Console"],
  body: ["admin_key","link","role"],
  repeatable: false,
};

export type ShowSessionParams = object;

/** Get the session of this call. */
export const showSession: Route<ShowSessionParams, SessionRecord> = {
  method: "GET",
  path: "/console/session",
};

export type SignOutParams = object;

/** Sign out: end the session of this call. */
export const signOut: Route<SignOutParams, SignedOut> = {
  method: "DELETE",
  path: "/console/session",
};

export interface CreateLinkParams {
  /** What its session may do. Default: `admin`. */
  readonly role?: CreateLinkRequest["role"] | undefined;
}

/** Create a link that opens one session within a minute. */
export const createLink: Route<CreateLinkParams, SessionLink> = {
  method: "POST",
  path: "/console/links",
  body: ["role"],
  repeatable: false,
};

export interface ListSessionsParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
}

/** List the open sessions. */
export const listSessions: Route<ListSessionsParams, SessionPage> = {
  method: "GET",
  path: "/admin/sessions",
  query: ["limit","cursor"],
};

export interface EndSessionParams {
  /** Id of the session */
  readonly sessionId: string;
}

/** End a session. */
export const endSession: Route<EndSessionParams, SessionEnded> = {
  method: "DELETE",
  path: "/admin/sessions/{session_id}",
  repeatable: false,
};

export type MetricsParams = object;

/** Metrics in the Prometheus text format. */
export const metrics: Route<MetricsParams, never> = {
  method: "GET",
  path: "/metrics",
};
