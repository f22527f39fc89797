/** `@orchd/client`: calls of the orchestrator and of engines, for Node.js 20 or newer and for browsers. */
export {
  type AdminClient,
  type AdminClientOptions,
  type PlatformKeyHash,
  type PolicyChanges,
  type RegisterOptions,
  type RegisteredProduct,
  createAdminClient,
} from "./admin-client.ts";
export { type AttachmentOptions, attachment } from "./attachment.ts";
export { type BySession, type ConsoleClient, type SignInOptions, createConsoleClient } from "./console-client.ts";
export type { ClientTool, ClientToolAnswer, ClientToolCall, ClientTools } from "./client-tools.ts";
export type { SearchKnowledgeOptions } from "./knowledge-calls.ts";
export type { ChangeCatalogOptions, PushCatalogOptions } from "./catalog-calls.ts";
export { type CallOptions, type EngineClient, type EngineClientOptions, createEngineClient } from "./engine-client.ts";
export type { ExecuteOptions, ReplayOptions, ResumeOptions, TypedReplayPage } from "./engine-execute.ts";
export type { FileBody, OpenFile } from "./engine-files.ts";
export type { ListOptions } from "./engine-memory.ts";
export type { AllowToolsOptions, ImportOptions } from "./engine-owner.ts";
export type { FollowTasksOptions } from "./engine-tasks.ts";
export { type HealthClient, type HostHealth, createHealthClient } from "./health-client.ts";
export type { HumanRequest, OnHuman } from "./human-responder.ts";
export type { ConnectionOptions, Retry } from "./http-call.ts";
export { type EnginesOptions, type OpenOptions, createEngines } from "./kept-engines.ts";
export { type KeyStore, memoryKeys } from "./key-store.ts";
export { type ClientLimits, DEFAULT_LIMITS } from "./limits.ts";
export { CLIENT_ERRORS, type ClientErrorCode, type ErrorCode, OrchdError } from "./orchd-error.ts";
export {
  type EventsOptions,
  type OrchestratorClient,
  type ProvisionOptions,
  createOrchestratorClient,
} from "./orchestrator-client.ts";
export type { OrchestratorClientOptions } from "./orchestrator-calls.ts";
export type { LogsOptions } from "./orchestrator-client.ts";
export type { ScheduleOptions, TimingOptions, WebhookOptions } from "./schedules.ts";
export type { EventGap, FollowOptions, OrchestratorEvent } from "./orchestrator-stream.ts";
export type { AdminUsageOptions, UsageEntry, UsageOptions } from "./usage-calls.ts";
export type { UsageGroup } from "../contract/orchestrator/usage-groups.ts";
export type { Turn } from "./turn.ts";
export type { TurnResult } from "./turn-result.ts";
export type { HeartbeatEvent, TurnEvent, UnknownEvent } from "./turn-event.ts";
export type { SampleMeasure } from "../contract/orchestrator/sample-measures.ts";
export type { MemoryList } from "../contract/engine/memory-format.ts";
export type * from "./record-types.ts";
export type * from "./records.ts";
