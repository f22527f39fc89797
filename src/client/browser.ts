/** `@orchd/client/browser`: calls of a user's engine by the user's token, for browsers and apps. */
export { type AttachmentOptions, attachment } from "./attachment.ts";
export type { ClientTool, ClientToolAnswer, ClientToolCall, ClientTools } from "./client-tools.ts";
export type { ExecuteOptions, ReplayOptions, ResumeOptions, TypedReplayPage } from "./engine-execute.ts";
export type { FileBody, OpenFile } from "./engine-files.ts";
export type { ListOptions } from "./engine-memory.ts";
export type { FollowTasksOptions } from "./engine-tasks.ts";
export type { HumanRequest, OnHuman } from "./human-responder.ts";
export type { CallOptions, ConnectionOptions, Retry } from "./http-call.ts";
export { type ClientLimits, DEFAULT_LIMITS } from "./limits.ts";
export { type ClientErrorCode, type ErrorCode, OrchdError } from "./orchd-error.ts";
export type { TokenSource } from "./token-fetch.ts";
export type { Turn } from "./turn.ts";
export type { TurnResult } from "./turn-result.ts";
export type { HeartbeatEvent, TurnEvent, UnknownEvent } from "./turn-event.ts";
export { type UserClient, type UserClientOptions, createUserClient } from "./user-client.ts";
export type * from "./records.ts";
