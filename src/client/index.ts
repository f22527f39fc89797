/** `@orchd/client`: calls of the orchestrator and of engines, for Node.js 20 or newer and for browsers. */
export {
  type AdminClient,
  type AdminClientOptions,
  type AuditLine,
  type PlatformKeyHash,
  type PolicyChanges,
  type RegisterOptions,
  type RegisteredProduct,
  createAdminClient,
} from "./admin-client.ts";
export { type AttachmentOptions, attachment } from "./attachment.ts";
export { type BySession, type ConsoleClient, type SignInOptions, createConsoleClient } from "./console-client.ts";
export type { ChangeCatalogOptions, PushCatalogOptions } from "./catalog-calls.ts";
export {
  type AllowToolsOptions,
  type CallOptions,
  type EngineClient,
  type EngineClientOptions,
  type ExecuteOptions,
} from "./engine-client.ts";
export { type ReplayOptions, type ResumeOptions, type TypedReplayPage, createEngineClient } from "./engine-client.ts";
export type { ImportOptions, ListOptions } from "./engine-memory.ts";
export { type HealthClient, type HostHealth, type HostReadiness, createHealthClient } from "./health-client.ts";
export type { HumanRequest, OnHuman } from "./human-responder.ts";
export type { ConnectionOptions, Retry } from "./http-call.ts";
export { type ClientLimits, DEFAULT_LIMITS } from "./limits.ts";
export { CLIENT_ERRORS, type ClientErrorCode, type ErrorCode, OrchdError } from "./orchd-error.ts";
export {
  type EngineWithKey,
  type EventsOptions,
  type OrchestratorClient,
  type ProvisionOptions,
  createOrchestratorClient,
} from "./orchestrator-client.ts";
export type { OrchestratorClientOptions } from "./orchestrator-calls.ts";
export type { LogsOptions } from "./orchestrator-client.ts";
export type { ScheduleOptions, TimingOptions, WebhookOptions, WebhookWithSecret } from "./schedules.ts";
export type {
  MissedPolicy,
  RunRecord,
  RunState,
  ScheduleRecord,
  ScheduleTiming,
  WebhookAccepted,
  WebhookRecord,
} from "../contract/schedule-records.ts";
export type { EventGap, FollowOptions, OrchestratorEvent } from "./orchestrator-stream.ts";
export type { AdminUsageOptions, UsageEntry, UsageOptions } from "./usage-calls.ts";
export type * from "../contract/usage-records.ts";
export type { Turn } from "./turn.ts";
export type { TurnResult } from "./turn-result.ts";
export type { HeartbeatEvent, TurnEvent, UnknownEvent } from "./turn-event.ts";
export type {
  AttachmentKind,
  AttachmentPart,
  AttachmentRecord,
  MessageContent,
  MessagePart,
  TextPart,
} from "../contract/attachment-records.ts";
export type { SessionLink, SessionRecord, SessionRole } from "../contract/console-records.ts";
export type { HostSamples, SampleMeasure, UsageSamples } from "../contract/sample-records.ts";
export type { BackupList, BackupRun } from "../contract/backup-records.ts";
export type * from "../contract/catalog-records.ts";
export type * from "../contract/engine-records.ts";
export type * from "../contract/memory-file.ts";
export type * from "../contract/memory-records.ts";
export type * from "../contract/turn-records.ts";
export type { EngineErrorCode } from "../contract/engine-errors.ts";
export type * from "../contract/engine-events.ts";
export type { OrchestratorErrorCode } from "../contract/orchestrator-errors.ts";
export type { EventRecord, EventType } from "../contract/orchestrator-events.ts";
export type {
  EngineRecord,
  EngineState,
  HostStatus,
  Isolation,
  IsolationMode,
  IsolationPart,
  LastError,
  Policy,
  PolicyAction,
  ProductRecord,
  StopResult,
} from "../contract/orchestrator-records.ts";
