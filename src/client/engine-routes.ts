// Written by "npm run generate" from the route tables in src/contract.

import type { AllowToolsRequest, ArtifactList, CancelRequest, Cancelled, CatalogReloaded, CatalogShown, ChangeTaskRequest, CoreSoulReloaded, CorrectProfileLineRequest, CreateTaskRequest, DecideSkillRequest, EditMessageRequest, EndFactRequest, EngineHealth, EpisodePage, ExecuteRequest, FactEnded, FileLink, FileList, ForkRequest, ForkedTask, InboxList, KnowledgeHits, KnowledgePage, LearningBatch, LinkFileRequest, MemoryErased, MemoryImported, ModelRequestRecord, ModelRequests, MoveFileRequest, MovedFile, PendingRequests, PendingToolCalls, Profile, ProfileLine, ProfileLineDeleted, RemovedFile, RemovedMessage, ReplayPage, Resolved, RespondRequest, RespondToolRequest, RewindRequest, Rewound, SearchMemoryRequest, SentMessage, Servers, ShownTurn, SkillDecided, SkillDrafts, SocialPage, StoredFile, TaskDeleted, TaskMessages, TaskPage, TaskRecord, ToolAnswered, ToolsAllowed, TrajectoryPage, TurnPage, WaitingMessage, WorkingMemoryPage } from "./records.ts";
import type { Route } from "./route.ts";

export type HealthParams = object;

/** Health, identity and the state of the model. */
export const health: Route<HealthParams, EngineHealth> = {
  method: "GET",
  path: "/health",
};

export interface ExecuteParams {
  /** `1` adds an `id:` line to each frame */
  readonly ids?: string | undefined;
  /** [Events on request](conversations.md#events-on-request), separated by commas: `message`, `tool_input`, `model`, `file`, `hook`, `knowledge` */
  readonly events?: string | undefined;
  /** The same key and body within 24 h attaches to the turn of the first call. The `message_id` of a message that may wait, unless the body has one */
  readonly idempotencyKey?: string | undefined;
  /** The last `seq` or `ts` received; adds an `id:` line to each frame */
  readonly lastEventId?: string | undefined;
  /** The same as `events`, for clients that cannot change the address */
  readonly xOrchdEvents?: string | undefined;
  /** The user's message: 1 byte to 1 MiB of text, not only white space, or a list of 1 to 256 parts with attachments. Only `regenerate` goes without one. */
  readonly message?: ExecuteRequest["message"] | undefined;
  /** 1 to 256 bytes. A task is a conversation: the next turn with the same id continues it. */
  readonly taskId: ExecuteRequest["task_id"];
  /** An agent of the catalog. `default` when omitted. */
  readonly agent?: ExecuteRequest["agent"] | undefined;
  /** The [model](conversations.md#which-model-answers) of the turn: `model`, or `provider:model` for another provider. The agent's when omitted. */
  readonly model?: ExecuteRequest["model"] | undefined;
  /** How much the model reasons, if it has this option. The agent's when omitted. */
  readonly effort?: ExecuteRequest["effort"] | undefined;
  /** `true` requests the model's reasoning. `false` when omitted. */
  readonly thinking?: ExecuteRequest["thinking"] | undefined;
  /** Model calls of the turn. 100 when omitted. */
  readonly maxSteps?: ExecuteRequest["max_steps"] | undefined;
  /** `true` answers the task's last message again, which must be the user's, and takes no `message`. `false` when omitted. */
  readonly regenerate?: ExecuteRequest["regenerate"] | undefined;
  /** What happens to the turn when the client disconnects. `continue` when omitted. */
  readonly onDisconnect?: ExecuteRequest["on_disconnect"] | undefined;
  /** An object that is stored with the turn. */
  readonly metadata?: ExecuteRequest["metadata"] | undefined;
  /** [Tools that the client runs](conversations.md#tools-that-the-client-runs) in this turn, up to 64 in 256 KiB. */
  readonly clientTools?: ExecuteRequest["client_tools"] | undefined;
  /** What happens while the task has a turn: `reject` answers 409 `TASK_BUSY`, `queue` lets the message wait for a turn of its own, `steer` hands it to the running turn. The policy's `when_busy` when omitted. */
  readonly whenBusy?: ExecuteRequest["when_busy"] | undefined;
  /** Only with `steer`: `true` cuts off the model's answer in progress. `false` when omitted. */
  readonly interrupt?: ExecuteRequest["interrupt"] | undefined;
  /** 1 to 255 characters of the caller's, unique in the task. The same id and body again is the same message. */
  readonly messageId?: ExecuteRequest["message_id"] | undefined;
  /** [Structured output](conversations.md#structured-output): JSON Schema 2020-12 for an object, at most 32 KiB. The agent's own when omitted. */
  readonly outputSchema?: ExecuteRequest["output_schema"] | undefined;
  /** [Context of a turn](conversations.md#context-of-a-turn): data for the model that are not the user's words, at most 32 items and 16 KiB. */
  readonly context?: ExecuteRequest["context"] | undefined;
}

/** Run a turn and stream its events. */
export const execute: Route<ExecuteParams, SentMessage> = {
  method: "POST",
  path: "/execute",
  query: ["ids","events"],
  headers: ["Idempotency-Key","Last-Event-ID","X-Orchd-Events"],
  body: ["message","task_id","agent","model","effort","thinking","max_steps","regenerate","on_disconnect","metadata","client_tools","when_busy","interrupt","message_id","output_schema","context"],
};

export interface ReplayParams {
  /** ISO 8601 timestamp or `seq`, exclusive */
  readonly after?: string | undefined;
  /** Only of this task */
  readonly taskId?: string | undefined;
  /** Only of this turn */
  readonly turnId?: string | undefined;
  /** Largest number of events. A stream without it has no limit */
  readonly limit?: number | undefined;
  /** With `Accept: text/event-stream`: continue with live events */
  readonly follow?: boolean | undefined;
  /** `1` adds an `id:` line to each frame */
  readonly ids?: string | undefined;
  /** [Events on request](conversations.md#events-on-request), separated by commas: `message`, `tool_input`, `model`, `file`, `hook`, `knowledge` */
  readonly events?: string | undefined;
  /** The last `seq` or `ts` received; adds an `id:` line to each frame */
  readonly lastEventId?: string | undefined;
  /** The same as `events`, for clients that cannot change the address */
  readonly xOrchdEvents?: string | undefined;
}

/** Read or follow stored events. */
export const replay: Route<ReplayParams, ReplayPage> = {
  method: "GET",
  path: "/execute/replay",
  query: ["after","task_id","turn_id","limit","follow","ids","events"],
  headers: ["Last-Event-ID","X-Orchd-Events"],
};

export interface CancelParams {
  /** The task whose turn is to end. */
  readonly taskId: CancelRequest["task_id"];
  /** `true` also removes the messages that wait in the task's inbox. `false` when omitted. */
  readonly inbox?: CancelRequest["inbox"] | undefined;
}

/** End the running turn of a task. `cancelled` is false when it has none. */
export const cancel: Route<CancelParams, Cancelled> = {
  method: "POST",
  path: "/execute/cancel",
  body: ["task_id","inbox"],
};

export interface ListInboxParams {
  /** Id of the task, 1 to 256 bytes */
  readonly taskId: string;
}

/** List the messages that wait. */
export const listInbox: Route<ListInboxParams, InboxList> = {
  method: "GET",
  path: "/tasks/{task_id}/inbox",
};

export interface EditMessageParams {
  /** Id of the task, 1 to 256 bytes */
  readonly taskId: string;
  /** Id of the message, 1 to 255 characters */
  readonly messageId: string;
  /** Replaces the message, as `message` of `POST /execute`. */
  readonly message?: EditMessageRequest["message"] | undefined;
  /** `steer` hands a queued message to the running turn, `queue` keeps it for a turn of its own. */
  readonly whenBusy?: EditMessageRequest["when_busy"] | undefined;
}

/** Change a message that waits. */
export const editMessage: Route<EditMessageParams, WaitingMessage> = {
  method: "PATCH",
  path: "/tasks/{task_id}/inbox/{message_id}",
  body: ["message","when_busy"],
};

export interface RemoveMessageParams {
  /** Id of the task, 1 to 256 bytes */
  readonly taskId: string;
  /** Id of the message, 1 to 255 characters */
  readonly messageId: string;
}

/** Remove a message that waits. */
export const removeMessage: Route<RemoveMessageParams, RemovedMessage> = {
  method: "DELETE",
  path: "/tasks/{task_id}/inbox/{message_id}",
};

export interface RespondParams {
  /** The id of the question or permission prompt. */
  readonly requestId: RespondRequest["request_id"];
  /** One of its `options`. Other text, of 1 to 100,000 characters, only if its `context.allow_free_text` is `true`. */
  readonly answer: RespondRequest["answer"];
}

/** Answer a question or permission prompt. */
export const respond: Route<RespondParams, Resolved> = {
  method: "POST",
  path: "/hitl/respond",
  body: ["request_id","answer"],
};

export type PendingParams = object;

/** List the open questions and permission prompts. */
export const pending: Route<PendingParams, PendingRequests> = {
  method: "GET",
  path: "/hitl/pending",
};

export interface RespondToolParams {
  /** The `tool_call_id` of the call. */
  readonly toolCallId: RespondToolRequest["tool_call_id"];
  /** The result, any JSON. It matches the tool's `output_schema`, if it has one. Either this or `error`. */
  readonly output?: RespondToolRequest["output"] | undefined;
  /** Why the tool failed, for the model. */
  readonly error?: RespondToolRequest["error"] | undefined;
}

/** Answer a call of a tool that the client runs. */
export const respondTool: Route<RespondToolParams, ToolAnswered> = {
  method: "POST",
  path: "/tools/respond",
  body: ["tool_call_id","output","error"],
};

export type PendingToolsParams = object;

/** List the calls that wait for the client's answer. */
export const pendingTools: Route<PendingToolsParams, PendingToolCalls> = {
  method: "GET",
  path: "/tools/pending",
};

export interface ListTurnsParams {
  /** Only of this task */
  readonly taskId?: string | undefined;
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page */
  readonly cursor?: string | undefined;
}

/** List turns, newest first. */
export const listTurns: Route<ListTurnsParams, TurnPage> = {
  method: "GET",
  path: "/turns",
  query: ["task_id","limit","cursor"],
};

export interface ShowTurnParams {
  /** Id of the turn */
  readonly turnId: string;
}

/** Get a turn. */
export const showTurn: Route<ShowTurnParams, ShownTurn> = {
  method: "GET",
  path: "/turns/{turn_id}",
};

export interface ListRequestsParams {
  /** Id of the turn */
  readonly turnId: string;
}

/** List the model calls of a turn with their tokens by part of the context. */
export const listRequests: Route<ListRequestsParams, ModelRequests> = {
  method: "GET",
  path: "/turns/{turn_id}/requests",
};

export interface ShowRequestParams {
  /** Id of the turn */
  readonly turnId: string;
  /** The number of the request within the turn, from 1 */
  readonly number: string;
}

/** Get a request to the model as it was sent. */
export const showRequest: Route<ShowRequestParams, ModelRequestRecord> = {
  method: "GET",
  path: "/turns/{turn_id}/requests/{number}",
};

export interface ListTasksParams {
  /** Only tasks with all of these words in one message, or in the title. Not with `follow` */
  readonly q?: string | undefined;
  /** `false`: without archived ones, `true`: only these, `any`: all */
  readonly archived?: "false" | "true" | "any" | undefined;
  /** Only tasks whose last turn this agent ran */
  readonly agent?: string | undefined;
  /** Only tasks with this value of a key of their `metadata`. Each is a query parameter of its own, `metadata.<key>=<value>` */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
  /** With `Accept: text/event-stream`: the first page, then each change */
  readonly follow?: boolean | undefined;
}

/** List or search tasks, the latest activity first, or follow the list. */
export const listTasks: Route<ListTasksParams, TaskPage> = {
  method: "GET",
  path: "/tasks",
  query: ["q","archived","agent","metadata","limit","cursor","follow"],
};

export interface CreateTaskParams {
  /** 1 to 256 bytes. A new one when omitted. */
  readonly taskId?: CreateTaskRequest["task_id"] | undefined;
  /** 1 to 200 characters. The first words of its first message when omitted. */
  readonly title?: CreateTaskRequest["title"] | undefined;
  /** Strings of the product's own, by their keys. At most 50 keys of 64 characters, with values of 1000. */
  readonly metadata?: CreateTaskRequest["metadata"] | undefined;
  /** What its messages have that do not say it themselves. */
  readonly defaults?: CreateTaskRequest["defaults"] | undefined;
}

/** Create a task before its first message. */
export const createTask: Route<CreateTaskParams, TaskRecord> = {
  method: "POST",
  path: "/tasks",
  body: ["task_id","title","metadata","defaults"],
  repeatable: false,
};

export interface ShowTaskParams {
  /** Id of the task, 1 to 256 bytes */
  readonly taskId: string;
  /** Adds its [branches](conversations.md#rewind) */
  readonly branches?: boolean | undefined;
  /** Adds the [defaults](conversations.md#create-a-task) of its messages */
  readonly defaults?: boolean | undefined;
}

/** Get a task. */
export const showTask: Route<ShowTaskParams, TaskRecord> = {
  method: "GET",
  path: "/tasks/{task_id}",
  query: ["branches","defaults"],
};

export interface ChangeTaskParams {
  /** Id of the task, 1 to 256 bytes */
  readonly taskId: string;
  /** 1 to 200 characters. From now on no model changes it. */
  readonly title?: ChangeTaskRequest["title"] | undefined;
  /** `true` takes it from lists, `false` puts it back. */
  readonly archived?: ChangeTaskRequest["archived"] | undefined;
  /** Strings to set, by their keys; `null` removes a key. At most 50 keys of 64 characters, with values of 1000. */
  readonly metadata?: ChangeTaskRequest["metadata"] | undefined;
  /** Replaces the defaults of its messages. `{}` removes them. */
  readonly defaults?: ChangeTaskRequest["defaults"] | undefined;
}

/** Rename or archive a task, or change its metadata or defaults. */
export const changeTask: Route<ChangeTaskParams, TaskRecord> = {
  method: "PATCH",
  path: "/tasks/{task_id}",
  body: ["title","archived","metadata","defaults"],
};

export interface DeleteTaskParams {
  /** Id of the task, 1 to 256 bytes */
  readonly taskId: string;
  /** Also what memory has learned from this task alone */
  readonly forget?: boolean | undefined;
}

/** Delete a task with its messages. */
export const deleteTask: Route<DeleteTaskParams, TaskDeleted> = {
  method: "DELETE",
  path: "/tasks/{task_id}",
  query: ["forget"],
  repeatable: false,
};

export interface ListMessagesParams {
  /** Id of the task, 1 to 256 bytes */
  readonly taskId: string;
  /** Only messages before this `message_id`. Not together with `after` */
  readonly before?: string | undefined;
  /** Only messages after this `message_id`. Without both, the last ones */
  readonly after?: string | undefined;
  /** Of this branch, as `branches` of the task names it. The current one when omitted */
  readonly branch?: string | undefined;
  /** Largest number of messages. A page of large ones has fewer */
  readonly limit?: number | undefined;
}

/** List the messages of a task. */
export const listMessages: Route<ListMessagesParams, TaskMessages> = {
  method: "GET",
  path: "/tasks/{task_id}/messages",
  query: ["before","after","branch","limit"],
};

export interface ForkTaskParams {
  /** Id of the task, 1 to 256 bytes */
  readonly taskId: string;
  /** The last message that the new task has. The last one of the conversation when omitted, without those of a turn in flight. */
  readonly afterMessage?: ForkRequest["after_message"] | undefined;
  /** The id of the new task: 1 to 256 bytes. A new one when omitted. */
  readonly newTaskId?: ForkRequest["task_id"] | undefined;
}

/** Begin a task with messages of another one. */
export const forkTask: Route<ForkTaskParams, ForkedTask> = {
  method: "POST",
  path: "/tasks/{task_id}/fork",
  body: ["after_message","task_id"],
  clientNames: {"task_id":"new_task_id"},
  repeatable: false,
};

export interface RewindTaskParams {
  /** Id of the task, 1 to 256 bytes */
  readonly taskId: string;
  /** The message that becomes the last one. */
  readonly toMessage: RewindRequest["to_message"];
  /** `false`: the conversation goes on before `to_message`, which leaves it too. `true` when omitted. */
  readonly keep?: RewindRequest["keep"] | undefined;
  /** `restore` gives the files of the workspace their state at that message. `keep` when omitted. */
  readonly files?: RewindRequest["files"] | undefined;
  /** `true` changes nothing. `false` when omitted. */
  readonly dryRun?: RewindRequest["dry_run"] | undefined;
  /** `true` also restores files that something else has changed since. `false` when omitted. */
  readonly force?: RewindRequest["force"] | undefined;
}

/** Take a conversation back to a message, and its files too. */
export const rewindTask: Route<RewindTaskParams, Rewound> = {
  method: "POST",
  path: "/tasks/{task_id}/rewind",
  body: ["to_message","keep","files","dry_run","force"],
  timeout: "hour",
};

export interface ListFilesParams {
  /** A folder of the workspace. The workspace itself when omitted */
  readonly path?: string | undefined;
  /** With what its folders contain */
  readonly recursive?: boolean | undefined;
  /** Largest number of entries */
  readonly limit?: number | undefined;
}

/** List a folder of the workspace. */
export const listFiles: Route<ListFilesParams, FileList> = {
  method: "GET",
  path: "/files",
  query: ["path","recursive","limit"],
};

export interface ReadFileParams {
  /** The path in the workspace, without a leading `/` */
  readonly path?: string | undefined;
  /** Instead of `path`: a published version */
  readonly artifactId?: string | undefined;
  /** One range of bytes, such as `bytes=0-1023` or `bytes=-500`. Of several none counts */
  readonly range?: string | undefined;
  /** An `ETag`: another file is sent whole */
  readonly ifRange?: string | undefined;
  /** The `ETag`s that the caller has: 304 for one of these */
  readonly ifNoneMatch?: string | undefined;
  /** Only if the file has one of these `ETag`s, or `*` for any */
  readonly ifMatch?: string | undefined;
}

/** Read a file, or a range of it. */
export const readFile: Route<ReadFileParams, never> = {
  method: "GET",
  path: "/files/content",
  query: ["path","artifact_id"],
  headers: ["Range","If-Range","If-None-Match","If-Match"],
  timeout: "hour",
};

export interface WriteFileParams {
  /** The path in the workspace, without a leading `/` */
  readonly path?: string | undefined;
  /** Only if the file has one of these `ETag`s, or `*` for any */
  readonly ifMatch?: string | undefined;
  /** `*`: only if there is no file */
  readonly ifNoneMatch?: string | undefined;
  readonly body: Blob | string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

/** Write a file: the body is its content. */
export const writeFile: Route<WriteFileParams, StoredFile> = {
  method: "PUT",
  path: "/files/content",
  query: ["path"],
  headers: ["If-Match","If-None-Match"],
  upload: "application/octet-stream",
  timeout: "hour",
};

export interface RemoveFileParams {
  /** The path in the workspace, without a leading `/` */
  readonly path?: string | undefined;
  /** A folder with what it contains */
  readonly recursive?: boolean | undefined;
  /** Only if the file has one of these `ETag`s, or `*` for any */
  readonly ifMatch?: string | undefined;
}

/** Remove a file or folder. */
export const removeFile: Route<RemoveFileParams, RemovedFile> = {
  method: "DELETE",
  path: "/files",
  query: ["path","recursive"],
  headers: ["If-Match"],
  repeatable: false,
  timeout: "hour",
};

export interface MoveFileParams {
  /** The path of a file or folder. */
  readonly from: MoveFileRequest["from"];
  /** Its new path. Missing folders are made. */
  readonly to: MoveFileRequest["to"];
  /** `true` replaces a file at `to`. `false` when omitted. */
  readonly overwrite?: MoveFileRequest["overwrite"] | undefined;
}

/** Move a file or folder. */
export const moveFile: Route<MoveFileParams, MovedFile> = {
  method: "POST",
  path: "/files/move",
  body: ["from","to","overwrite"],
  repeatable: false,
};

export interface ArchiveFilesParams {
  /** A folder of the workspace. The workspace itself when omitted */
  readonly path?: string | undefined;
  /** The format */
  readonly format?: "tar.gz" | "zip" | undefined;
}

/** Download a folder as one archive. */
export const archiveFiles: Route<ArchiveFilesParams, never> = {
  method: "GET",
  path: "/files/archive",
  query: ["path","format"],
  timeout: "hour",
};

export interface LinkFileParams {
  /** The path of a file. */
  readonly path: LinkFileRequest["path"];
  /** Seconds that the link is valid, at most 3600. 600 when omitted. */
  readonly ttlS?: LinkFileRequest["ttl_s"] | undefined;
}

/** Make a link that reads one file without a key. */
export const linkFile: Route<LinkFileParams, FileLink> = {
  method: "POST",
  path: "/files/links",
  body: ["path","ttl_s"],
};

export interface ReadLinkedParams {
  /** What the link ends with */
  readonly token: string;
  /** One range of bytes, such as `bytes=0-1023` or `bytes=-500`. Of several none counts */
  readonly range?: string | undefined;
  /** An `ETag`: another file is sent whole */
  readonly ifRange?: string | undefined;
  /** The `ETag`s that the caller has: 304 for one of these */
  readonly ifNoneMatch?: string | undefined;
  /** Only if the file has one of these `ETag`s, or `*` for any */
  readonly ifMatch?: string | undefined;
}

/** Read the file of a link. */
export const readLinked: Route<ReadLinkedParams, never> = {
  method: "GET",
  path: "/files/linked/{token}",
  headers: ["Range","If-Range","If-None-Match","If-Match"],
  timeout: "hour",
};

export interface ListArtifactsParams {
  /** Id of the task, 1 to 256 bytes */
  readonly taskId: string;
}

/** List what the agent has published. */
export const listArtifacts: Route<ListArtifactsParams, ArtifactList> = {
  method: "GET",
  path: "/tasks/{task_id}/artifacts",
};

export interface SearchMemoryParams {
  /** 1 byte to 10 kB of text. No character is query syntax. */
  readonly query: SearchMemoryRequest["query"];
  /** How many results at most. 10 when omitted. */
  readonly limit?: SearchMemoryRequest["limit"] | undefined;
  /** Only results of these kinds. All when omitted. */
  readonly kinds?: SearchMemoryRequest["kinds"] | undefined;
  /** Only results with this relevance verdict. */
  readonly bearing?: SearchMemoryRequest["bearing"] | undefined;
  /** Searches the memory as of this time. */
  readonly asOf?: SearchMemoryRequest["as_of"] | undefined;
  /** Only what happened at this time or later. */
  readonly from?: SearchMemoryRequest["from"] | undefined;
  /** Only what happened before this time. A date includes its day. */
  readonly to?: SearchMemoryRequest["to"] | undefined;
}

/** Search the memory. */
export const searchMemory: Route<SearchMemoryParams, KnowledgeHits> = {
  method: "POST",
  path: "/memory/knowledge/search",
  body: ["query","limit","kinds","bearing","as_of","from","to"],
};

export interface ListEpisodesParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
}

/** List rounds of conversations. */
export const listEpisodes: Route<ListEpisodesParams, EpisodePage> = {
  method: "GET",
  path: "/memory/episodes",
  query: ["limit","cursor"],
};

export interface ListKnowledgeParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
}

/** List facts. */
export const listKnowledge: Route<ListKnowledgeParams, KnowledgePage> = {
  method: "GET",
  path: "/memory/knowledge",
  query: ["limit","cursor"],
};

export interface EndFactParams {
  /** The id of the fact. */
  readonly id: EndFactRequest["id"];
}

/** End a fact that is true no longer. */
export const endFact: Route<EndFactParams, FactEnded> = {
  method: "POST",
  path: "/memory/knowledge/end",
  body: ["id"],
};

export interface ListSocialParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
}

/** List people and things, with their relations. */
export const listSocial: Route<ListSocialParams, SocialPage> = {
  method: "GET",
  path: "/memory/social",
  query: ["limit","cursor"],
};

export interface ListWorkingParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
}

/** List the notes of the agent. */
export const listWorking: Route<ListWorkingParams, WorkingMemoryPage> = {
  method: "GET",
  path: "/memory/working",
  query: ["limit","cursor"],
};

export interface ListTrajectoriesParams {
  /** Page size */
  readonly limit?: number | undefined;
  /** `next_cursor` of the previous page of the same list */
  readonly cursor?: string | undefined;
}

/** List how turns went: steps, tools, outcome. */
export const listTrajectories: Route<ListTrajectoriesParams, TrajectoryPage> = {
  method: "GET",
  path: "/memory/trajectories",
  query: ["limit","cursor"],
};

export type GetProfileParams = object;

/** Get the profile page of the user. */
export const getProfile: Route<GetProfileParams, Profile> = {
  method: "GET",
  path: "/memory/profile",
};

export interface CorrectProfileLineParams {
  /** Id of a line of the profile page */
  readonly lineId: string;
  /** What the line says from now on: 1 to 200 characters, one line. */
  readonly text: CorrectProfileLineRequest["text"];
}

/** Correct a line. */
export const correctProfileLine: Route<CorrectProfileLineParams, ProfileLine> = {
  method: "PATCH",
  path: "/memory/profile/{line_id}",
  body: ["text"],
};

export interface DeleteProfileLineParams {
  /** Id of a line of the profile page */
  readonly lineId: string;
}

/** Delete a line. */
export const deleteProfileLine: Route<DeleteProfileLineParams, ProfileLineDeleted> = {
  method: "DELETE",
  path: "/memory/profile/{line_id}",
};

export type ExportMemoryParams = object;

/** Export the memory as JSON lines. */
export const exportMemory: Route<ExportMemoryParams, never> = {
  method: "GET",
  path: "/memory/export",
};

export interface ImportMemoryParams {
  readonly body: Blob | string | ReadableStream<Uint8Array>;
}

/** Import an exported file. */
export const importMemory: Route<ImportMemoryParams, MemoryImported> = {
  method: "POST",
  path: "/memory/import",
  upload: "application/x-ndjson",
  timeout: "hour",
};

export type EraseMemoryParams = object;

/** Erase the memory. */
export const eraseMemory: Route<EraseMemoryParams, MemoryErased> = {
  method: "DELETE",
  path: "/memory",
  repeatable: false,
  timeout: "hour",
};

export type ListSkillsParams = object;

/** List skill drafts. */
export const listSkills: Route<ListSkillsParams, SkillDrafts> = {
  method: "GET",
  path: "/memory/skills",
};

export interface DecideSkillParams {
  /** The id of the draft. */
  readonly id: DecideSkillRequest["id"];
  /** `allow` adds the skill to the engine's catalog. `refuse` rejects it for good. */
  readonly decision: DecideSkillRequest["decision"];
}

/** Accept (`allow`) or reject (`refuse`) a skill draft. */
export const decideSkill: Route<DecideSkillParams, SkillDecided> = {
  method: "POST",
  path: "/memory/skills/decide",
  body: ["id","decision"],
};

export type TriggerLearningParams = object;

/** Run a learning batch now. */
export const triggerLearning: Route<TriggerLearningParams, LearningBatch> = {
  method: "POST",
  path: "/admin/lc/trigger",
  repeatable: false,
  timeout: "hour",
};

export type ListServersParams = object;

/** List the tool servers with status, tools and errors. */
export const listServers: Route<ListServersParams, Servers> = {
  method: "GET",
  path: "/assets/servers",
};

export type ShowCatalogParams = object;

/** Get the catalog in use, with the errors and warnings that a reload would find. */
export const showCatalog: Route<ShowCatalogParams, CatalogShown> = {
  method: "GET",
  path: "/assets/catalog",
};

export interface AllowToolsParams {
  /** The name of the tool server. */
  readonly server: AllowToolsRequest["server"];
  /** The server's name of the tool, together with `definition`. All held tools of the server when omitted. */
  readonly tool?: AllowToolsRequest["tool"] | undefined;
  /** The hash of the definition to allow, as `GET /assets/servers` lists it. A tool that has changed again is refused. */
  readonly definition?: AllowToolsRequest["definition"] | undefined;
}

/** Accept changed tools of a tool server. */
export const allowTools: Route<AllowToolsParams, ToolsAllowed> = {
  method: "POST",
  path: "/assets/servers/allow",
  body: ["server","tool","definition"],
};

export type ReloadCatalogParams = object;

/** Reload the catalog, all of it or nothing. */
export const reloadCatalog: Route<ReloadCatalogParams, CatalogReloaded> = {
  method: "POST",
  path: "/admin/reload-catalog",
};

export type ReloadCoreSoulParams = object;

/** Reload the core soul. */
export const reloadCoreSoul: Route<ReloadCoreSoulParams, CoreSoulReloaded> = {
  method: "POST",
  path: "/admin/reload-core-soul",
};
