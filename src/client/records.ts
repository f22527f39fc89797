// Written by "npm run generate" from the schemas in src/contract.

export interface AllowToolsRequest {
  /** The name of the tool server. */
  readonly server: string;
  /** The server's name of the tool, together with `definition`. All held tools of the server when omitted. */
  readonly tool?: string | undefined;
  /** The hash of the definition to allow, as `GET /assets/servers` lists it. A tool that has changed again is refused. */
  readonly definition?: string | undefined;
}

export interface AnswerQuestionRequest {
  /** One of its `options`. Other text, of 1 to 100,000 characters, only if its `context.allow_free_text` is `true`. */
  readonly answer: string;
}

/** A version of a file that the agent has published. */
export interface Artifact {
  /** The version's id. */
  readonly artifact_id: string;
  /** The task. */
  readonly task_id: string;
  /** The turn that published it. */
  readonly turn_id: string;
  /** The path in the workspace. */
  readonly path: string;
  /** What the agent calls it. */
  readonly title: string;
  /** Counts what the task has published under this path, from 1. */
  readonly version: number;
  /** The size. */
  readonly bytes: number;
  /** SHA-256 of the content. In quotes, it is the `ETag`. */
  readonly digest: string;
  /** The type, by the name of the file. */
  readonly media_type: string;
  /** When it was published. */
  readonly created_at: string;
  /** Whether this version can still be read: old ones are removed when the room for earlier contents is used up. */
  readonly kept: boolean;
}

/** What the agent has published in a task. */
export interface ArtifactList {
  /** The newest first. */
  readonly items: readonly Artifact[];
}

/** Detected by its bytes. `text`: UTF-8 text, SVG included. `other`: the model gets only a note. */
export type AttachmentKind = "image" | "pdf" | "audio" | "text" | "other";

/** A file of a message, as `data` or by its `path`. */
export interface AttachmentPart {
  /** `image`: refused unless the bytes are a PNG, JPEG, GIF or WebP. `file`: any type, images included. */
  readonly type: "image" | "file";
  /** The bytes in base64. Either this or `path`. */
  readonly data?: string | undefined;
  /** A file that is already in the engine's workspace. Either this or `data`. */
  readonly path?: string | undefined;
  /** The name that the model is shown. */
  readonly name?: string | undefined;
  /** The type that the sender declares. The bytes decide; it only tells apart what they do not, such as CSV and Markdown. */
  readonly media_type?: string | undefined;
}

/** A file that a message or a tool result refers to. Its bytes are in the workspace, and nowhere else. */
export interface AttachmentRecord {
  /** Detected by its bytes. `text`: UTF-8 text, SVG included. `other`: the model gets only a note. */
  readonly kind: AttachmentKind;
  /** The original name without path, control characters and markup. */
  readonly name: string;
  /** The type of the bytes. */
  readonly media_type: string;
  /** The type that the sender declared, if the bytes have another one. */
  readonly claimed_media_type?: string | undefined;
  /** The size of the file. */
  readonly bytes: number;
  /** SHA-256 of the bytes in lower-case hex. */
  readonly digest: string;
  /** Its path in the engine's workspace. */
  readonly path: string;
  /** Of an image: pixels. */
  readonly width?: number | undefined;
  /** Of an image: pixels. */
  readonly height?: number | undefined;
}

/** One line of the audit log, which is a hash chain. */
export interface AuditLine {
  /** 1, 2, 3 … without a gap. */
  readonly seq: number;
  /** JSON text with `at`, `actor`, `request_id`, `action` and what was changed. Its exact characters are hashed. */
  readonly entry: string;
  /** The `hash` of the line before; 64 zeros for the first. */
  readonly prev_hash: string;
  /** SHA-256 in hex over `prev_hash`, `seq` and `entry`, with a line feed between them. */
  readonly hash: string;
}

/** Lines of the audit log in their order. */
export interface AuditPage {
  /** The records of this page. */
  readonly data: readonly AuditLine[];
  /** The `cursor` of the next page. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** The backups of this host. */
export interface BackupList {
  /** The folder on the daemon's machine. */
  readonly dir: string;
  /** The complete ones, the newest first. */
  readonly data: readonly {
    /** The file's name. */
    readonly name: string;
    /** When it was started. */
    readonly created_at: string;
    /** The file's size. */
    readonly bytes: number;
    /** Whether it can be read only with `ORCH_BACKUP_PASSPHRASE`. */
    readonly encrypted: boolean;
  }[];
  /** The one that runs. `null` when none does. */
  readonly running: BackupRun | null;
  /** The last one that ended since the daemon's start. */
  readonly last: BackupRun | null;
}

/** One backup, from its start on. */
export interface BackupRun {
  /** The file's name in the folder of backups. */
  readonly name: string;
  /** When it began. */
  readonly started_at: string;
  /** When it ended. `null` while it runs. */
  readonly ended_at: string | null;
  /** `null` while it runs. */
  readonly outcome: "created" | "failed" | null;
  /** Bytes of the archive so far. */
  readonly bytes: number;
  /** Its progress. */
  readonly engines: {
    /** Engines whose folders it contains. */
    readonly done: number;
    /** Engines of the host. */
    readonly total: number;
  };
  /** Engines with unreadable files, with the reasons. */
  readonly incomplete: readonly string[];
  /** Why it failed. `null` unless it did. */
  readonly reason: string | null;
}

/** What the block contains. */
export type BlockType = "text" | "thinking" | "tool_use";

/** Whether a turn was cancelled. */
export interface Cancelled {
  /** `false` when the task has no turn. */
  readonly cancelled: boolean;
  /** Only with `inbox`: how many waiting messages were removed. */
  readonly removed?: number | undefined;
}

export interface CancelRequest {
  /** The task whose turn is to end. */
  readonly task_id: string;
  /** `true` also removes the messages that wait in the task's inbox. `false` when omitted. */
  readonly inbox?: boolean | undefined;
}

/** The paths that differ from the version that was current. */
export interface CatalogChanges {
  /** Files that only the new version has. */
  readonly added: readonly string[];
  /** Files with another content or mode. */
  readonly changed: readonly string[];
  /** Files that only the version before has. */
  readonly removed: readonly string[];
}

/** An agent, a skill or a declared tool. */
export interface CatalogEntry {
  /** The name. */
  readonly name: string;
  /** What the model reads about it. */
  readonly description: string;
}

/** A fault in a catalog, or a possible mistake. */
export interface CatalogFault {
  /** The path below the catalog's folder, or `(archive)`. */
  readonly path: string;
  /** The line in the file. Left out if it concerns the whole file. */
  readonly line?: number | undefined;
  /** What is wrong. */
  readonly message: string;
}

/** A file of a product's catalog. */
export interface CatalogFile {
  /** The path below the catalog's folder. */
  readonly path: string;
  /** The file's size. */
  readonly bytes: number;
  /** The SHA-256 of its content in hex. */
  readonly sha256: string;
  /** Whether it has the mode of an executable file. */
  readonly executable: boolean;
}

/** The versions of a product's catalog that are stored. */
export interface CatalogHistory {
  /** The newest first. */
  readonly versions: readonly CatalogVersion[];
}

/** What a push or a rollback did. */
export interface CatalogPushed {
  /** The versions count from 1. 0 is the one before the first push, without a file. */
  readonly version: number;
  /** SHA-256 over the files in hex: the same files have the same digest. `null` without a file. */
  readonly digest: string | null;
  /** The size of all files, unpacked. */
  readonly bytes: number;
  /** The version whose files a rollback restored. `null` for a push. */
  readonly restored_from: number | null;
  /** When it was pushed or restored. `null` for version 0. */
  readonly created_at: string | null;
  /** Who did that: a call of the product or of an operator. `null` for version 0. */
  readonly actor: "product" | "admin" | "orchd" | null;
  /** The number of its files. */
  readonly files: number;
  /** `false` if the current version has the same files already. */
  readonly is_new: boolean;
  /** The paths that differ from the version that was current. */
  readonly changes: CatalogChanges;
  /** Possible mistakes in the files. */
  readonly warnings: readonly CatalogFault[];
  /** The reloads of the running engines. `null` for a dry run. */
  readonly engines: CatalogRollout | null;
  /** The rule that decides the call of `try`. `null` if none does, left out without `try`. */
  readonly tried?: TriedRule | null | undefined;
}

/** A catalog that was reloaded. A refusal has the `errors` in its `details`. */
export interface CatalogReloaded {
  /** The number of agents. */
  readonly agents: number;
  /** The number of skills. */
  readonly skills: number;
  /** The number of declared tools. */
  readonly tools: number;
  /** The number of tool servers. */
  readonly servers: number;
  /** Always empty. */
  readonly errors: readonly CatalogRemark[];
  /** What was loaded although it may be a mistake. */
  readonly warnings: readonly CatalogRemark[];
}

/** A remark about an entry of the catalog. */
export interface CatalogRemark {
  /** The file, in the engine's catalog folder, or `(product) …` in the product's. */
  readonly path: string;
  /** The line in which the problem starts. Omitted if it concerns the whole file. */
  readonly line?: number | undefined;
  /** The problem, for the author of the entry. */
  readonly message: string;
}

/** The reloads of the product's running engines. Sleeping and stopped engines use the version from their next start. */
export interface CatalogRollout {
  /** Engines that run. */
  readonly running: number;
  /** Engines of them that use the version now. */
  readonly reloaded: number;
  /** At most 20 of the other engines. Their reload is retried. */
  readonly failed: readonly {
    /** The product's id of the user. */
    readonly user_id: string;
    /** Why its engine does not use the version. */
    readonly reason: string;
  }[];
}

/** The catalog in use, and what a reload would find. */
export interface CatalogShown {
  /** The agents in use. */
  readonly agents: readonly CatalogEntry[];
  /** The skills in use. */
  readonly skills: readonly CatalogEntry[];
  /** The declared tools in use. */
  readonly tools: readonly CatalogEntry[];
  /** Why a reload would be refused. Empty when it would not. */
  readonly errors: readonly CatalogRemark[];
  /** What a reload would load although it may be a mistake. */
  readonly warnings: readonly CatalogRemark[];
}

/** A version of a product's catalog. */
export interface CatalogVersion {
  /** The versions count from 1. 0 is the one before the first push, without a file. */
  readonly version: number;
  /** SHA-256 over the files in hex: the same files have the same digest. `null` without a file. */
  readonly digest: string | null;
  /** The size of all files, unpacked. */
  readonly bytes: number;
  /** The version whose files a rollback restored. `null` for a push. */
  readonly restored_from: number | null;
  /** When it was pushed or restored. `null` for version 0. */
  readonly created_at: string | null;
  /** Who did that: a call of the product or of an operator. `null` for version 0. */
  readonly actor: "product" | "admin" | "orchd" | null;
  /** The number of its files. */
  readonly files: number;
}

export interface ChangeEndpointRequest {
  /** Where messages are sent: an `https` address of the public internet, or a host of the policy's `private_hosts`. */
  readonly url?: string | undefined;
  /** The [events](orchestrator-api.md#events) that are sent. */
  readonly events?: readonly ("product.registered" | "product.policy_changed" | "product.plan_changed" | "product.plan_deleted" | "product.key_rotated" | "product.hook_secret_rotated" | "product.deleted" | "catalog.pushed" | "catalog.rolled_back" | "knowledge.changed" | "engine.provisioned" | "engine.starting" | "engine.running" | "engine.unhealthy" | "engine.crashed" | "engine.restarting" | "engine.gave_up" | "engine.stopping" | "engine.stopped" | "engine.slept" | "engine.woke" | "engine.adopted" | "engine.key_rotated" | "engine.plan_changed" | "engine.policy_changed" | "engine.destroyed" | "engine.leaked" | "budget.warned" | "budget.spent" | "secret.misused" | "schedule.created" | "schedule.changed" | "schedule.deleted" | "schedule.ran" | "schedule.failed" | "schedule.missed" | "turn.completed" | "turn.failed" | "turn.cancelled" | "task.titled" | "turn.waiting" | "secret.connected" | "secret.disconnected" | "secret.needs_login")[] | undefined;
  /** `false` pauses it: messages wait. */
  readonly enabled?: boolean | undefined;
}

export interface ChangeEngineRequest {
  /** The name of one of the product's [plans](plans.md). `null`: none. Left out, it stays as it is. */
  readonly plan?: string | null | undefined;
  /** Replaces the object that `provision` stored. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface ChangeScheduleRequest {
  /** 1 to 100 bytes, unique among the schedules of an engine. */
  readonly name?: string | undefined;
  /** When it runs. */
  readonly timing?: {
    /** Once. */
    readonly kind: "at";
    /** A time in ISO 8601 with its offset. */
    readonly at: string;
  } | {
    /** By a cron expression in a time zone. */
    readonly kind: "cron";
    /** Minute, hour, day of month, month, day of week; with six fields the second comes first. Or a name such as `@daily`. */
    readonly cron: string;
    /** A time zone of the IANA database. */
    readonly time_zone?: string | undefined;
  } | {
    /** Every so many seconds from an anchor. */
    readonly kind: "every";
    /** The seconds between two runs. */
    readonly every_s: number;
    /** The time from which they are counted. Left out: the time of the call. */
    readonly anchor_at?: string | undefined;
  } | undefined;
  /** What the engine gets: 1 byte to 32 KiB of UTF-8. */
  readonly message?: string | undefined;
  /** The conversation of every run. Without it each run has a conversation of its own, named by the run's id. */
  readonly task_id?: string | null | undefined;
  /** The agent that answers. Left out: the default one. */
  readonly agent?: string | null | undefined;
  /** The [model](conversations.md#which-model-answers), which the policy's `allowed_models` must allow now and at each run. Left out: the agent's. */
  readonly model?: string | null | undefined;
  /** How much the model reasons, if it has this option. Left out: the agent's. */
  readonly effort?: "low" | "medium" | "high" | null | undefined;
  /** `false` pauses it. Default: `true`. */
  readonly enabled?: boolean | undefined;
  /** What happens to due times at which nothing could run. `skip`: no run. `run_once`: one run for all of them. `run_all`: one run for each of the newest, up to `missed_limit`. Default: `skip`. */
  readonly missed?: MissedPolicy | undefined;
  /** The most missed runs that `run_all` catches up. Default: 10. */
  readonly missed_limit?: number | undefined;
  /** Each run is later by a part of so many seconds. The part follows from the schedule's id, so that schedules of one time spread out. Default: 0. */
  readonly spread_s?: number | undefined;
  /** A time in ISO 8601 with its offset. No run is due from then on. Default: no end. */
  readonly ends_at?: string | null | undefined;
}

/** Changes of a task. Fields left out stay. */
export interface ChangeTaskRequest {
  /** 1 to 200 characters. From now on no model changes it. */
  readonly title?: string | undefined;
  /** `true` takes it from lists, `false` puts it back. */
  readonly archived?: boolean | undefined;
  /** Strings to set, by their keys; `null` removes a key. At most 50 keys of 64 characters, with values of 1000. */
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
  /** Replaces the defaults of its messages. `{}` removes them. */
  readonly defaults?: TaskDefaults | undefined;
}

export interface ChangeWebhookRequest {
  /** 1 to 100 bytes, unique among the webhooks of an engine. */
  readonly name?: string | undefined;
  /** The message of the turn: 1 byte to 8 KiB of UTF-8. `{{payload}}` is what was sent. */
  readonly template?: string | undefined;
  /** The conversation of every run. Without it each run has a conversation of its own, named by the run's id. */
  readonly task_id?: string | null | undefined;
  /** The agent that answers. Left out: the default one. */
  readonly agent?: string | null | undefined;
  /** The [model](conversations.md#which-model-answers), which the policy's `allowed_models` must allow now and at each run. Left out: the agent's. */
  readonly model?: string | null | undefined;
  /** How much the model reasons, if it has this option. Left out: the agent's. */
  readonly effort?: "low" | "medium" | "high" | null | undefined;
  /** `false` refuses messages with 403. Default: `true`. */
  readonly enabled?: boolean | undefined;
  /** Messages beyond it get 429 with `Retry-After`. Default: 60. */
  readonly requests_per_minute?: number | undefined;
}

/** A user's login at a tool server. */
export interface Connection {
  /** The tool server's name in the catalog. */
  readonly server: string;
  /** Its address, the only one that gets the tokens. */
  readonly url: string;
  /** `needs_login`: the tokens cannot be renewed, and the user is asked at the next use. */
  readonly state: "connected" | "needs_login";
  /** The authorization server. */
  readonly issuer: string;
  /** What the user has permitted. */
  readonly scopes: readonly string[];
  /** When the user signed in. */
  readonly connected_at: string;
  /** When the access token ends; it is renewed before. `null` when the server does not say. */
  readonly expires_at: string | null;
  /** Its last use, to the minute. `null` before the first. */
  readonly last_used_at: string | null;
}

/** A user's logins at tool servers. */
export interface Connections {
  /** The connections, by the names of their servers. */
  readonly data: readonly Connection[];
}

/** What goes with a message and is not the user's words. */
export interface ContextItem {
  /** What it is, in 1 to 64 characters. */
  readonly name: string;
  /** Its text. Empty with `ttl` `task`: the item of this name is valid no longer. */
  readonly content: string;
  /** `turn`: valid for this message. `task`: until an item of this name replaces it. `turn` when omitted. */
  readonly ttl?: "turn" | "task" | undefined;
}

/** Tokens by part. They add up to the reported input, or are estimates without a report. */
export interface ContextParts {
  /** The system prompt. */
  readonly system: number;
  /** The definitions of the tools. */
  readonly tools: number;
  /** Memories shown with this and earlier messages. */
  readonly recalled: number;
  /** Context that callers gave with this and earlier messages. */
  readonly context: number;
  /** Messages and answers of earlier turns, or the summary that replaced them. */
  readonly history: number;
  /** The turn's message. */
  readonly message: number;
  /** The turn's own answers and tool results so far. */
  readonly steps: number;
  /** Images and other files. */
  readonly attachments: number;
}

/** A core soul that was reloaded. */
export interface CoreSoulReloaded {
  /** SHA-256 of the template, which `GET /health` returns as `core_soul_hash`. */
  readonly hash: string;
  /** The length of the template. */
  readonly bytes: number;
}

export interface CorrectProfileLineRequest {
  /** What the line says from now on: 1 to 200 characters, one line. */
  readonly text: string;
}

export interface CreateEndpointRequest {
  /** Where messages are sent: an `https` address of the public internet, or a host of the policy's `private_hosts`. */
  readonly url: string;
  /** The [events](orchestrator-api.md#events) that are sent. */
  readonly events: readonly ("product.registered" | "product.policy_changed" | "product.plan_changed" | "product.plan_deleted" | "product.key_rotated" | "product.hook_secret_rotated" | "product.deleted" | "catalog.pushed" | "catalog.rolled_back" | "knowledge.changed" | "engine.provisioned" | "engine.starting" | "engine.running" | "engine.unhealthy" | "engine.crashed" | "engine.restarting" | "engine.gave_up" | "engine.stopping" | "engine.stopped" | "engine.slept" | "engine.woke" | "engine.adopted" | "engine.key_rotated" | "engine.plan_changed" | "engine.policy_changed" | "engine.destroyed" | "engine.leaked" | "budget.warned" | "budget.spent" | "secret.misused" | "schedule.created" | "schedule.changed" | "schedule.deleted" | "schedule.ran" | "schedule.failed" | "schedule.missed" | "turn.completed" | "turn.failed" | "turn.cancelled" | "task.titled" | "turn.waiting" | "secret.connected" | "secret.disconnected" | "secret.needs_login")[];
  /** The secret that signs messages. Made when omitted. */
  readonly secret?: string | undefined;
}

export interface CreateLinkRequest {
  /** What its session may do. Default: `admin`. */
  readonly role?: SessionRole | undefined;
}

export interface CreateScheduleRequest {
  /** 1 to 100 bytes, unique among the schedules of an engine. */
  readonly name: string;
  /** When it runs. */
  readonly timing: {
    /** Once. */
    readonly kind: "at";
    /** A time in ISO 8601 with its offset. */
    readonly at: string;
  } | {
    /** By a cron expression in a time zone. */
    readonly kind: "cron";
    /** Minute, hour, day of month, month, day of week; with six fields the second comes first. Or a name such as `@daily`. */
    readonly cron: string;
    /** A time zone of the IANA database. */
    readonly time_zone?: string | undefined;
  } | {
    /** Every so many seconds from an anchor. */
    readonly kind: "every";
    /** The seconds between two runs. */
    readonly every_s: number;
    /** The time from which they are counted. Left out: the time of the call. */
    readonly anchor_at?: string | undefined;
  };
  /** What the engine gets: 1 byte to 32 KiB of UTF-8. */
  readonly message: string;
  /** The conversation of every run. Without it each run has a conversation of its own, named by the run's id. */
  readonly task_id?: string | null | undefined;
  /** The agent that answers. Left out: the default one. */
  readonly agent?: string | null | undefined;
  /** The [model](conversations.md#which-model-answers), which the policy's `allowed_models` must allow now and at each run. Left out: the agent's. */
  readonly model?: string | null | undefined;
  /** How much the model reasons, if it has this option. Left out: the agent's. */
  readonly effort?: "low" | "medium" | "high" | null | undefined;
  /** `false` pauses it. Default: `true`. */
  readonly enabled?: boolean | undefined;
  /** What happens to due times at which nothing could run. `skip`: no run. `run_once`: one run for all of them. `run_all`: one run for each of the newest, up to `missed_limit`. Default: `skip`. */
  readonly missed?: MissedPolicy | undefined;
  /** The most missed runs that `run_all` catches up. Default: 10. */
  readonly missed_limit?: number | undefined;
  /** Each run is later by a part of so many seconds. The part follows from the schedule's id, so that schedules of one time spread out. Default: 0. */
  readonly spread_s?: number | undefined;
  /** A time in ISO 8601 with its offset. No run is due from then on. Default: no end. */
  readonly ends_at?: string | null | undefined;
}

/** A task before its first message. */
export interface CreateTaskRequest {
  /** 1 to 256 bytes. A new one when omitted. */
  readonly task_id?: string | undefined;
  /** 1 to 200 characters. The first words of its first message when omitted. */
  readonly title?: string | undefined;
  /** Strings of the product's own, by their keys. At most 50 keys of 64 characters, with values of 1000. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** What its messages have that do not say it themselves. */
  readonly defaults?: TaskDefaults | undefined;
}

export interface CreateUserTokenRequest {
  /** Seconds until it ends. 900 when omitted. */
  readonly ttl_s?: number | undefined;
  /** What it [permits](browser.md#scopes), separated by spaces. */
  readonly scope?: string | undefined;
  /** The only [tasks](browser.md#some-tasks-alone) that it reaches, `{ids}` or `{prefix}`, in at most 1 KiB. All when omitted. */
  readonly tasks?: {
    /** These tasks. */
    readonly ids?: readonly string[] | undefined;
    /** Tasks whose id begins with this. */
    readonly prefix?: string | undefined;
  } | undefined;
  /** An object that the audit log keeps with the token's id, at most 1 KiB. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface CreateWebhookRequest {
  /** 1 to 100 bytes, unique among the webhooks of an engine. */
  readonly name: string;
  /** The message of the turn: 1 byte to 8 KiB of UTF-8. `{{payload}}` is what was sent. */
  readonly template: string;
  /** The conversation of every run. Without it each run has a conversation of its own, named by the run's id. */
  readonly task_id?: string | null | undefined;
  /** The agent that answers. Left out: the default one. */
  readonly agent?: string | null | undefined;
  /** The [model](conversations.md#which-model-answers), which the policy's `allowed_models` must allow now and at each run. Left out: the agent's. */
  readonly model?: string | null | undefined;
  /** How much the model reasons, if it has this option. Left out: the agent's. */
  readonly effort?: "low" | "medium" | "high" | null | undefined;
  /** `false` refuses messages with 403. Default: `true`. */
  readonly enabled?: boolean | undefined;
  /** Messages beyond it get 429 with `Retry-After`. Default: 60. */
  readonly requests_per_minute?: number | undefined;
}

export interface DecideSkillRequest {
  /** The id of the draft. */
  readonly id: string;
  /** `allow` adds the skill to the engine's catalog. `refuse` rejects it for good. */
  readonly decision: "allow" | "refuse";
}

/** A connection that was deleted. */
export interface Disconnected {
  /** The tokens are deleted here. */
  readonly deleted: true;
  /** Whether the authorization server has ended them too. `false`: it does not offer that, refused, or did not answer; then it is asked again for three days. */
  readonly revoked: boolean;
}

export interface EditMessageRequest {
  /** Replaces the message, as `message` of `POST /execute`. */
  readonly message?: MessageContent | undefined;
  /** `steer` hands a queued message to the running turn, `queue` keeps it for a turn of its own. */
  readonly when_busy?: "queue" | "steer" | undefined;
}

/** How far the vectors of memories are. Omitted without an embeddings endpoint. */
export interface EmbeddingsHealth {
  /** Memories that wait for their vector. */
  readonly waiting: number;
  /** Why the endpoint made none at the last call. `null` after one that did. */
  readonly last_error: string | null;
}

export type EmptyRequest = Readonly<Record<string, unknown>>;

export interface EndFactRequest {
  /** The id of the fact. */
  readonly id: string;
}

export interface EngineDestroyed {
  /** The process has ended, the port is free, and the data is gone unless it is kept. */
  readonly destroyed: true;
}

/** A call that failed. */
export interface EngineErrorBody {
  /** The code, by which programs decide. */
  readonly error: EngineErrorCode;
  /** The cause, for people. Its wording may change. */
  readonly message: string;
  /** Facts that depend on the code. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** The code, by which programs decide. */
export type EngineErrorCode = "INVALID_REQUEST" | "INVALID_ENGINE_KEY" | "INVALID_TOKEN" | "INSUFFICIENT_SCOPE" | "ORIGIN_NOT_ALLOWED" | "INSUFFICIENT_ROLE" | "POLICY_DENIED" | "NOT_FOUND" | "HITL_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "TASK_BUSY" | "TASK_EXISTS" | "FILES_CHANGED" | "FILE_EXISTS" | "HITL_ALREADY_ANSWERED" | "TOOL_ALREADY_ANSWERED" | "SKILL_ALREADY_DECIDED" | "MESSAGE_TAKEN" | "MESSAGE_REMOVED" | "IDEMPOTENCY_CONFLICT" | "ENGINE_BUSY" | "LC_RUNNING" | "MEMORY_BUSY" | "PRECONDITION_FAILED" | "PAYLOAD_TOO_LARGE" | "RANGE_NOT_SATISFIABLE" | "CATALOG_INVALID" | "CORE_SOUL_INVALID" | "LLM_RATE_LIMITED" | "RATE_LIMITED" | "BUDGET_EXCEEDED" | "INBOX_FULL" | "TOO_MANY_READERS" | "INTERNAL_ERROR" | "LLM_PROVIDER_ERROR" | "SERVICE_UNAVAILABLE" | "ENGINE_NOT_RUNNING" | "SLEEPING_BUSY" | "ENGINE_DRAINING" | "CANCELLED" | "CHANNEL_EXPIRED" | "STEP_LIMIT" | "LOOP_DETECTED" | "OUTPUT_INVALID" | "COMPACTION_FAILED" | "ENGINE_RESTARTED";

/** An event of a turn. */
export type EngineEvent = {
  /** The `event:` line of the frame. */
  readonly event: "thread_lifecycle";
  /** The `data:` line of the frame. */
  readonly data: {
    /** `errored`: the event `error` follows. */
    readonly phase: TurnPhase;
    /** The same as `ts`. */
    readonly timestamp: string;
    /** Only with `started`: the files of the turn's message, if it has any. */
    readonly attachments?: readonly AttachmentRecord[] | undefined;
    /** Only with `completed`, and only of a turn with an output schema: its result. */
    readonly output?: Readonly<Record<string, unknown>> | undefined;
    /** Only with `errored`: the code of the `error` event that follows. */
    readonly error?: string | undefined;
    /** Only with `errored`: the cause, for people. */
    readonly message?: string | undefined;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "error";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The code, by which programs decide. */
    readonly error: string;
    /** The cause, for people. Its wording may change. */
    readonly message: string;
    /** Facts that depend on the code. */
    readonly details?: Readonly<Record<string, unknown>> | undefined;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "text_delta";
  /** The `data:` line of the frame. */
  readonly data: {
    /** Text for the user. */
    readonly text: string;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "thinking_delta";
  /** The `data:` line of the frame. */
  readonly data: {
    /** Text of the reasoning. */
    readonly text: string;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "content_block_start";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The number of the block, from 0 within the turn. */
    readonly block_index: number;
    /** What the block contains. */
    readonly block_type: BlockType;
    /** Only when an answer was cut off, by a restart or on its way from the provider, and is now repeated: this block replaces those from this index on. */
    readonly replaces_from?: number | undefined;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "content_block_stop";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The number of the block, from 0 within the turn. */
    readonly block_index: number;
    /** What the block contains. */
    readonly block_type: BlockType;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "tool_call";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The tool's name. */
    readonly tool: string;
    /** The call's id. */
    readonly tool_call_id: string;
    /** Of a delegated agent: its name. */
    readonly agent?: string | undefined;
    /** Of a delegated agent: the call of `delegate` that started it. */
    readonly parent_tool_call_id?: string | undefined;
    /** The input of the call. */
    readonly input: Readonly<Record<string, unknown>>;
    /** Only of a [tool that the client runs](conversations.md#tools-that-the-client-runs): the turn waits for `POST /tools/respond`. */
    readonly runs?: "client" | undefined;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "tool_input_delta";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The tool's name. */
    readonly tool: string;
    /** The call's id. */
    readonly tool_call_id: string;
    /** Text of the arguments, as the model writes it. */
    readonly json: string;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "tool_result";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The tool's name. */
    readonly tool: string;
    /** The call's id. */
    readonly tool_call_id: string;
    /** Of a delegated agent: its name. */
    readonly agent?: string | undefined;
    /** Of a delegated agent: the call of `delegate` that started it. */
    readonly parent_tool_call_id?: string | undefined;
    /** What the tool returned. */
    readonly output: unknown;
    /** The parsed `output`: only of a tool of the catalog, of a tool server or of the client, and only when it is the text of a JSON object or list, of at most 50,000 characters and 64 levels. */
    readonly value?: unknown;
    /** Why the call failed. `null` on success. */
    readonly error: string | null;
    /** Files of the result, such as images. Omitted without one. */
    readonly attachments?: readonly AttachmentRecord[] | undefined;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "hitl_request";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The request's id, which `POST /hitl/respond` takes. */
    readonly request_id: string;
    /** `question`: of the agent. `permission`: a permission prompt. `login`: the user is to sign in to a tool server. */
    readonly kind: HitlKind;
    /** The text of the question. */
    readonly question: string;
    /** `tool_call_id`, and `allow_free_text`: whether an answer may be other text than an option. A permission prompt adds what is to be allowed, a login the `server` and the `url` of its link. */
    readonly context: Readonly<Record<string, unknown>>;
    /** The answers to choose from. */
    readonly options: readonly string[];
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "hitl_resolved";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The request's id. */
    readonly request_id: string;
    /** The answer. `cancelled` or `expired` for a request that the engine closed. */
    readonly answer: string;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "working_memory_update";
  /** The `data:` line of the frame. */
  readonly data: {
    /** What the agent wrote it as. */
    readonly entry_type: WorkingMemoryEntryType;
    /** The text of the note. */
    readonly content: string;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "compaction_event";
  /** The `data:` line of the frame. */
  readonly data: {
    /** Estimated tokens before. */
    readonly before_tokens: number;
    /** Estimated tokens after. */
    readonly after_tokens: number;
    /** `structured_extraction`: old tool results were shortened. `summary`: old turns were summarised by a model. */
    readonly strategy: "summary" | "structured_extraction";
    /** With `summary`: the turns that the model now sees as a summary. */
    readonly summarised_turn_ids?: readonly string[] | undefined;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "heartbeat";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The engine's time. */
    readonly now: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "message_queued";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The message's id. */
    readonly message_id: string;
    /** Its place among the messages that wait, from 1. */
    readonly position: number;
    /** Whether it waits for a turn of its own or for the running one. */
    readonly when_busy: "queue" | "steer";
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "message_taken";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The message's id. */
    readonly message_id: string;
    /** `turn`: it began this turn. `steer`: it entered the running turn. */
    readonly how: "turn" | "steer";
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "message_removed";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The message's id. */
    readonly message_id: string;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "usage";
  /** The `data:` line of the frame. */
  readonly data: {
    /** Tokens of the input, with those read from the provider's cache. */
    readonly input_tokens: number;
    /** Tokens of the output, with those of reasoning. */
    readonly output_tokens: number;
    /** Tokens of the input that the provider read from its cache. */
    readonly cache_hit_tokens: number;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "model_changed";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The model that failed. `provider:model` when it is not of `LLM_PROVIDER`. */
    readonly from: string;
    /** The model that answers instead. */
    readonly to: string;
    /** How it failed. `cooldown`: it failed a short time before, for another step, turn or engine. */
    readonly reason: "rate_limited" | "overloaded" | "server_error" | "timeout" | "connection" | "cooldown";
    /** Of a delegated agent: its name. */
    readonly agent?: string | undefined;
    /** Of a delegated agent: the call of `delegate` that started it. */
    readonly parent_tool_call_id?: string | undefined;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "tool_verdict";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The tool's name. */
    readonly tool: string;
    /** The call's id. */
    readonly tool_call_id: string;
    /** Of a delegated agent: its name. */
    readonly agent?: string | undefined;
    /** Of a delegated agent: the call of `delegate` that started it. */
    readonly parent_tool_call_id?: string | undefined;
    /** `change`: the call runs with `input`. */
    readonly verdict: "allow" | "deny" | "ask" | "change";
    /** Only of `deny`, when the product gave one. */
    readonly reason?: string | undefined;
    /** Only of `change`: the input that the call runs with. */
    readonly input?: Readonly<Record<string, unknown>> | undefined;
    /** Why the product did not decide; the verdict is then the policy's. */
    readonly error?: string | undefined;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "knowledge_found";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The best first, each with at most the first 500 characters of its `text`. */
    readonly results: readonly KnowledgeResult[];
    /** The call's id. */
    readonly tool_call_id: string;
    /** Of a delegated agent: its name. */
    readonly agent?: string | undefined;
    /** Of a delegated agent: the call of `delegate` that started it. */
    readonly parent_tool_call_id?: string | undefined;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
} | {
  /** The `event:` line of the frame. */
  readonly event: "file_changed";
  /** The `data:` line of the frame. */
  readonly data: {
    /** The path in the workspace. */
    readonly path: string;
    /** What happened to it. */
    readonly change: "created" | "changed" | "removed";
    /** The call's id. */
    readonly tool_call_id: string;
    /** Of a delegated agent: its name. */
    readonly agent?: string | undefined;
    /** Of a delegated agent: the call of `delegate` that started it. */
    readonly parent_tool_call_id?: string | undefined;
    /** When it happened. Strictly rises within the engine. */
    readonly ts: string;
    /** Its number. Rises over the life of the engine, restarts included. */
    readonly seq: number;
    /** The turn's task. */
    readonly task_id: string;
    /** The turn. */
    readonly turn_id: string;
  };
};

/** Health and identity of an engine. */
export interface EngineHealth {
  /** Always `ok`. */
  readonly status: "ok";
  /** The engine's id. */
  readonly engine_id: string;
  /** Identifies one life of the process. */
  readonly incarnation: string;
  /** The version that the process runs. */
  readonly version: string;
  /** Seconds since the process started. */
  readonly uptime_s: number;
  /** Whether the whole engine is loaded. Calls that come earlier wait for it. */
  readonly loaded: boolean;
  /** Turns that run or wait for a person. */
  readonly active_turns: number;
  /** Questions and permission prompts that running turns wait for. */
  readonly pending_hitl: number;
  /** Open event streams. */
  readonly streams: number;
  /** SHA-256 of the core soul. `null` until the engine is loaded. */
  readonly core_soul_hash: string | null;
  /** How the last call of a model went. Omitted until the engine is loaded. */
  readonly model?: ModelHealth | undefined;
  /** How far the vectors of memories are. Omitted without an embeddings endpoint. */
  readonly embeddings?: EmbeddingsHealth | undefined;
  /** Only after a damaged store was set aside, until a memory is imported or erased: where the store is. */
  readonly memory_reset?: MemoryReset | undefined;
}

/** An engine with its new key. */
export interface EngineKeyRotated {
  /** The engine's id. */
  readonly id: string;
  /** The product's id. */
  readonly product_id: string;
  /** The product's id of the user. */
  readonly user_id: string;
  /** The state now. */
  readonly state: EngineState;
  /** Whether the state is `running` or `unhealthy`. */
  readonly running: boolean;
  /** The state that calls asked for. */
  readonly desired_state: "running" | "stopped" | "destroyed";
  /** The port of its address. It can change when another program takes it. `null` where engines have no ports of the host: in [Kubernetes](kubernetes.md). */
  readonly port: number | null;
  /** The address of the engine's own API. */
  readonly url: string;
  /** Identifies one life of the process: each start has a new one. */
  readonly incarnation: string;
  /** The process's id. */
  readonly pid: number | null;
  /** The version that the process runs. */
  readonly version: string | null;
  /** The parts of the engine's key that identify it. */
  readonly api_key: {
    /** The key's first characters. */
    readonly prefix: string;
    /** The key's last characters. */
    readonly last4: string;
    /** When the key was created. */
    readonly created_at: string;
    /** Until when the key before it is accepted too. */
    readonly previous_expires_at: string | null;
  };
  /** What health probes found. */
  readonly health: {
    /** The outcome of the last probes. */
    readonly status: "unknown" | "ok" | "failing";
    /** When a probe last succeeded. */
    readonly last_ok_at: string | null;
    /** Probes that have failed since. */
    readonly consecutive_failures: number;
  };
  /** Restarts after crashes. */
  readonly restarts: {
    /** Restarts within the window. */
    readonly count: number;
    /** When the window of counted restarts began. */
    readonly window_started_at: string | null;
    /** When the next restart is due. */
    readonly next_at: string | null;
  };
  /** `null` without a process, and before its first sample. */
  readonly usage: EngineUsage | null;
  /** The version of the product's catalog that it uses. `null` without a process. */
  readonly catalog: {
    /** The version that its process uses. `null` while it is not known. */
    readonly version: number | null;
    /** Why it does not use the current one. */
    readonly error: string | null;
  } | null;
  /** Its last failure. */
  readonly last_error: LastError | null;
  /** `null` unless the engine is `sleeping`. */
  readonly sleep: {
    /** Since when it sleeps. */
    readonly since: string;
    /** Why. `capacity`: another engine needed its place. */
    readonly reason: "idle" | "request" | "capacity";
  } | null;
  /** `null` unless the engine is `running`. */
  readonly awake: {
    /** What woke it. `null` when it was started otherwise. */
    readonly woken_by: "call" | "start" | "admit" | "lookup" | "schedule" | "learning" | null;
    /** Its work, as it last reported it, at most a minute ago. */
    readonly kept_by: readonly ("turn" | "inbox" | "stream" | "request" | "learning" | "tool_call" | "recent_work")[];
    /** When its last work ended. `null` while it has work, and before its first report. */
    readonly idle_since: string | null;
    /** When its next learning batch is due; it runs earlier when the engine is to sleep. `null` without one. */
    readonly learning_due_at: string | null;
  } | null;
  /** Questions and permission prompts that its turns wait for, as it last reported them. */
  readonly open_questions: number;
  /** Why the engine is stopped. */
  readonly stop_reason: string | null;
  /** When it last had work. */
  readonly last_active_at: string | null;
  /** When it was provisioned. */
  readonly created_at: string;
  /** When its process started. */
  readonly started_at: string | null;
  /** When its process ended. */
  readonly stopped_at: string | null;
  /** The [plan](plans.md) of the engine. */
  readonly plan: string | null;
  /** The object that `provision` stored. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The new key, returned once. `null` in a repeated response. */
  readonly engine_api_key: string | null;
  /** Until when the key before it is accepted too. */
  readonly previous_key_expires_at: string;
}

/** Engines by id. */
export interface EnginePage {
  /** The records of this page. */
  readonly data: readonly EngineRecord[];
  /** The `cursor` of the next page. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** What holds for one engine, and where each value comes from. */
export interface EnginePolicy {
  /** The engine's plan. */
  readonly plan: string | null;
  /** What is set for this engine alone. */
  readonly own: {
    /** Calls per minute that one user's tokens may make. */
    readonly user_requests_per_minute?: number | null | undefined;
    /** Turns that may run for a user before tokens may start another. */
    readonly user_concurrent_turns?: number | null | undefined;
    /** What happens to a message whose task has a turn, unless the call says it: `reject`, `queue` or `steer`. */
    readonly when_busy?: "reject" | "queue" | "steer" | undefined;
    /** Seconds without work after which an engine sleeps. 0 is never. */
    readonly idle_stop_s?: number | undefined;
    /** Days without activity after which a task is deleted with its messages. A sleeping engine does it after its next wake. */
    readonly task_ttl_days?: number | null | undefined;
    /** Memory of an engine. Three quarters of it are for the JavaScript heap, and tools together may use three quarters. */
    readonly memory_mb?: number | undefined;
    /** Processes and threads of all tools of an engine. The engine has 64 of its own. */
    readonly max_processes?: number | undefined;
    /** Size of an engine's folder, which holds workspace, store and caches. */
    readonly disk_mb?: number | undefined;
    /** Size of the file contents that are kept for rewinds, at most a quarter of `disk_mb`. The oldest are removed first. 0 keeps none. */
    readonly checkpoint_mb?: number | undefined;
    /** An engine's share of a busy CPU, as `cpu.weight` of cgroup v2. */
    readonly cpu_weight?: number | undefined;
    /** The models that calls and agents of the catalog may name: `model` or `provider:model`, with `*` at the end for all that begin so. The models of the settings and of `fallback` are allowed without it. */
    readonly allowed_models?: readonly string[] | null | undefined;
    /** The models that answer instead of one that fails, in order. An agent of the catalog may have its own list. */
    readonly fallback?: readonly string[] | undefined;
    /** The agents of the catalog that calls may name and agents may delegate to, with `*` at the end for all that begin so. The default agent is allowed without it. */
    readonly allowed_agents?: readonly string[] | null | undefined;
    /** The tools that agents have, built in, of the catalog and of tool servers, with `*` at the end for all that begin so. */
    readonly allowed_tools?: readonly string[] | null | undefined;
    /** What tools may connect to: `open` (the public internet), `none`, or a list of hosts and networks. */
    readonly tool_network?: "open" | "none" | readonly string[] | undefined;
    /** Size of all attachments of one message, or of one tool result. 0 allows none. */
    readonly attachment_mb?: number | undefined;
    /** Attachments of one message, or of one tool result. */
    readonly attachment_count?: number | undefined;
    /** Kinds of files that may be attached, decided by their bytes. */
    readonly attachment_kinds?: readonly ("image" | "pdf" | "audio" | "text" | "other")[] | undefined;
    /** What each engine may spend. */
    readonly budgets?: {
      /** What each engine may spend. A limit left out is no limit. */
      readonly engine: {
        /** Tokens in a UTC day. */
        readonly tokens_per_day?: number | undefined;
        /** Tokens in a UTC month. */
        readonly tokens_per_month?: number | undefined;
        /** Cost in a UTC day, in units of the price table's currency. */
        readonly cost_per_day?: number | undefined;
        /** Cost in a UTC month, in units of the price table's currency. */
        readonly cost_per_month?: number | undefined;
      };
      /** The share of a budget, above 0 and at most 1, at which `budget.warned` is written. */
      readonly warn_at?: number | undefined;
    } | undefined;
    /** Schedules and webhooks of one engine. */
    readonly max_schedules?: number | undefined;
    /** Least seconds between two runs of a schedule. */
    readonly min_schedule_interval_s?: number | undefined;
  };
  /** The value of each field in which engines may differ. */
  readonly policy: HeldPolicy;
  /** Where each value comes from: what is set for the `engine`, its `plan`, the policy of the `product`, or the `default` of the policy. */
  readonly from: {
    /** Where `user_requests_per_minute` comes from. */
    readonly user_requests_per_minute: "engine" | "plan" | "product" | "default";
    /** Where `user_concurrent_turns` comes from. */
    readonly user_concurrent_turns: "engine" | "plan" | "product" | "default";
    /** Where `when_busy` comes from. */
    readonly when_busy: "engine" | "plan" | "product" | "default";
    /** Where `idle_stop_s` comes from. */
    readonly idle_stop_s: "engine" | "plan" | "product" | "default";
    /** Where `task_ttl_days` comes from. */
    readonly task_ttl_days: "engine" | "plan" | "product" | "default";
    /** Where `memory_mb` comes from. */
    readonly memory_mb: "engine" | "plan" | "product" | "default";
    /** Where `max_processes` comes from. */
    readonly max_processes: "engine" | "plan" | "product" | "default";
    /** Where `disk_mb` comes from. */
    readonly disk_mb: "engine" | "plan" | "product" | "default";
    /** Where `checkpoint_mb` comes from. */
    readonly checkpoint_mb: "engine" | "plan" | "product" | "default";
    /** Where `cpu_weight` comes from. */
    readonly cpu_weight: "engine" | "plan" | "product" | "default";
    /** Where `allowed_models` comes from. */
    readonly allowed_models: "engine" | "plan" | "product" | "default";
    /** Where `fallback` comes from. */
    readonly fallback: "engine" | "plan" | "product" | "default";
    /** Where `allowed_agents` comes from. */
    readonly allowed_agents: "engine" | "plan" | "product" | "default";
    /** Where `allowed_tools` comes from. */
    readonly allowed_tools: "engine" | "plan" | "product" | "default";
    /** Where `tool_network` comes from. */
    readonly tool_network: "engine" | "plan" | "product" | "default";
    /** Where `attachment_mb` comes from. */
    readonly attachment_mb: "engine" | "plan" | "product" | "default";
    /** Where `attachment_count` comes from. */
    readonly attachment_count: "engine" | "plan" | "product" | "default";
    /** Where `attachment_kinds` comes from. */
    readonly attachment_kinds: "engine" | "plan" | "product" | "default";
    /** Where `budgets` comes from. */
    readonly budgets: "engine" | "plan" | "product" | "default";
    /** Where `max_schedules` comes from. */
    readonly max_schedules: "engine" | "plan" | "product" | "default";
    /** Where `min_schedule_interval_s` comes from. */
    readonly min_schedule_interval_s: "engine" | "plan" | "product" | "default";
  };
}

/** An engine. */
export interface EngineRecord {
  /** The engine's id. */
  readonly id: string;
  /** The product's id. */
  readonly product_id: string;
  /** The product's id of the user. */
  readonly user_id: string;
  /** The state now. */
  readonly state: EngineState;
  /** Whether the state is `running` or `unhealthy`. */
  readonly running: boolean;
  /** The state that calls asked for. */
  readonly desired_state: "running" | "stopped" | "destroyed";
  /** The port of its address. It can change when another program takes it. `null` where engines have no ports of the host: in [Kubernetes](kubernetes.md). */
  readonly port: number | null;
  /** The address of the engine's own API. */
  readonly url: string;
  /** Identifies one life of the process: each start has a new one. */
  readonly incarnation: string;
  /** The process's id. */
  readonly pid: number | null;
  /** The version that the process runs. */
  readonly version: string | null;
  /** The parts of the engine's key that identify it. */
  readonly api_key: {
    /** The key's first characters. */
    readonly prefix: string;
    /** The key's last characters. */
    readonly last4: string;
    /** When the key was created. */
    readonly created_at: string;
    /** Until when the key before it is accepted too. */
    readonly previous_expires_at: string | null;
  };
  /** What health probes found. */
  readonly health: {
    /** The outcome of the last probes. */
    readonly status: "unknown" | "ok" | "failing";
    /** When a probe last succeeded. */
    readonly last_ok_at: string | null;
    /** Probes that have failed since. */
    readonly consecutive_failures: number;
  };
  /** Restarts after crashes. */
  readonly restarts: {
    /** Restarts within the window. */
    readonly count: number;
    /** When the window of counted restarts began. */
    readonly window_started_at: string | null;
    /** When the next restart is due. */
    readonly next_at: string | null;
  };
  /** `null` without a process, and before its first sample. */
  readonly usage: EngineUsage | null;
  /** The version of the product's catalog that it uses. `null` without a process. */
  readonly catalog: {
    /** The version that its process uses. `null` while it is not known. */
    readonly version: number | null;
    /** Why it does not use the current one. */
    readonly error: string | null;
  } | null;
  /** Its last failure. */
  readonly last_error: LastError | null;
  /** `null` unless the engine is `sleeping`. */
  readonly sleep: {
    /** Since when it sleeps. */
    readonly since: string;
    /** Why. `capacity`: another engine needed its place. */
    readonly reason: "idle" | "request" | "capacity";
  } | null;
  /** `null` unless the engine is `running`. */
  readonly awake: {
    /** What woke it. `null` when it was started otherwise. */
    readonly woken_by: "call" | "start" | "admit" | "lookup" | "schedule" | "learning" | null;
    /** Its work, as it last reported it, at most a minute ago. */
    readonly kept_by: readonly ("turn" | "inbox" | "stream" | "request" | "learning" | "tool_call" | "recent_work")[];
    /** When its last work ended. `null` while it has work, and before its first report. */
    readonly idle_since: string | null;
    /** When its next learning batch is due; it runs earlier when the engine is to sleep. `null` without one. */
    readonly learning_due_at: string | null;
  } | null;
  /** Questions and permission prompts that its turns wait for, as it last reported them. */
  readonly open_questions: number;
  /** Why the engine is stopped. */
  readonly stop_reason: string | null;
  /** When it last had work. */
  readonly last_active_at: string | null;
  /** When it was provisioned. */
  readonly created_at: string;
  /** When its process started. */
  readonly started_at: string | null;
  /** When its process ended. */
  readonly stopped_at: string | null;
  /** The [plan](plans.md) of the engine. */
  readonly plan: string | null;
  /** The object that `provision` stored. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The state now. */
export type EngineState = "provisioning" | "starting" | "running" | "unhealthy" | "sleeping" | "backoff" | "stopping" | "stopped" | "failed" | "stop_failed" | "destroying";

/** An engine that was stopped. */
export interface EngineStopped {
  /** The engine's id. */
  readonly id: string;
  /** The product's id. */
  readonly product_id: string;
  /** The product's id of the user. */
  readonly user_id: string;
  /** The state now. */
  readonly state: EngineState;
  /** Whether the state is `running` or `unhealthy`. */
  readonly running: boolean;
  /** The state that calls asked for. */
  readonly desired_state: "running" | "stopped" | "destroyed";
  /** The port of its address. It can change when another program takes it. `null` where engines have no ports of the host: in [Kubernetes](kubernetes.md). */
  readonly port: number | null;
  /** The address of the engine's own API. */
  readonly url: string;
  /** Identifies one life of the process: each start has a new one. */
  readonly incarnation: string;
  /** The process's id. */
  readonly pid: number | null;
  /** The version that the process runs. */
  readonly version: string | null;
  /** The parts of the engine's key that identify it. */
  readonly api_key: {
    /** The key's first characters. */
    readonly prefix: string;
    /** The key's last characters. */
    readonly last4: string;
    /** When the key was created. */
    readonly created_at: string;
    /** Until when the key before it is accepted too. */
    readonly previous_expires_at: string | null;
  };
  /** What health probes found. */
  readonly health: {
    /** The outcome of the last probes. */
    readonly status: "unknown" | "ok" | "failing";
    /** When a probe last succeeded. */
    readonly last_ok_at: string | null;
    /** Probes that have failed since. */
    readonly consecutive_failures: number;
  };
  /** Restarts after crashes. */
  readonly restarts: {
    /** Restarts within the window. */
    readonly count: number;
    /** When the window of counted restarts began. */
    readonly window_started_at: string | null;
    /** When the next restart is due. */
    readonly next_at: string | null;
  };
  /** `null` without a process, and before its first sample. */
  readonly usage: EngineUsage | null;
  /** The version of the product's catalog that it uses. `null` without a process. */
  readonly catalog: {
    /** The version that its process uses. `null` while it is not known. */
    readonly version: number | null;
    /** Why it does not use the current one. */
    readonly error: string | null;
  } | null;
  /** Its last failure. */
  readonly last_error: LastError | null;
  /** `null` unless the engine is `sleeping`. */
  readonly sleep: {
    /** Since when it sleeps. */
    readonly since: string;
    /** Why. `capacity`: another engine needed its place. */
    readonly reason: "idle" | "request" | "capacity";
  } | null;
  /** `null` unless the engine is `running`. */
  readonly awake: {
    /** What woke it. `null` when it was started otherwise. */
    readonly woken_by: "call" | "start" | "admit" | "lookup" | "schedule" | "learning" | null;
    /** Its work, as it last reported it, at most a minute ago. */
    readonly kept_by: readonly ("turn" | "inbox" | "stream" | "request" | "learning" | "tool_call" | "recent_work")[];
    /** When its last work ended. `null` while it has work, and before its first report. */
    readonly idle_since: string | null;
    /** When its next learning batch is due; it runs earlier when the engine is to sleep. `null` without one. */
    readonly learning_due_at: string | null;
  } | null;
  /** Questions and permission prompts that its turns wait for, as it last reported them. */
  readonly open_questions: number;
  /** Why the engine is stopped. */
  readonly stop_reason: string | null;
  /** When it last had work. */
  readonly last_active_at: string | null;
  /** When it was provisioned. */
  readonly created_at: string;
  /** When its process started. */
  readonly started_at: string | null;
  /** When its process ended. */
  readonly stopped_at: string | null;
  /** The [plan](plans.md) of the engine. */
  readonly plan: string | null;
  /** The object that `provision` stored. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** How its running turns ended: by themselves, cut off at the end of `drain_s`, or with its process, which was killed. */
  readonly stop_result: "drained" | "cut_off" | "killed";
}

/** What an engine and its tools use now, sampled every 5 s. */
export interface EngineUsage {
  /** Per cent of one core, over the last seconds. `null` until there are two samples. */
  readonly cpu_percent: number | null;
  /** MiB of the engine and its tools. */
  readonly memory_mb: number;
  /** MiB of its folder, measured about once a minute while it is active. `null` before that. */
  readonly disk_mb: number | null;
  /** Turns that run or wait for a person, as of the last health probe. */
  readonly active_turns: number | null;
  /** Since its process started, read about once a minute and at each probe while turns run. `null` until then. */
  readonly work: {
    /** Turns that ended. */
    readonly turns: number;
    /** Turns that ended with an error. */
    readonly failed_turns: number;
    /** Input and output tokens of the models. */
    readonly tokens: number;
  } | null;
  /** When the sample was taken. */
  readonly sampled_at: string;
}

/** An engine with its key. */
export interface EngineWithKey {
  /** The engine's id. */
  readonly id: string;
  /** The product's id. */
  readonly product_id: string;
  /** The product's id of the user. */
  readonly user_id: string;
  /** The state now. */
  readonly state: EngineState;
  /** Whether the state is `running` or `unhealthy`. */
  readonly running: boolean;
  /** The state that calls asked for. */
  readonly desired_state: "running" | "stopped" | "destroyed";
  /** The port of its address. It can change when another program takes it. `null` where engines have no ports of the host: in [Kubernetes](kubernetes.md). */
  readonly port: number | null;
  /** The address of the engine's own API. */
  readonly url: string;
  /** Identifies one life of the process: each start has a new one. */
  readonly incarnation: string;
  /** The process's id. */
  readonly pid: number | null;
  /** The version that the process runs. */
  readonly version: string | null;
  /** The parts of the engine's key that identify it. */
  readonly api_key: {
    /** The key's first characters. */
    readonly prefix: string;
    /** The key's last characters. */
    readonly last4: string;
    /** When the key was created. */
    readonly created_at: string;
    /** Until when the key before it is accepted too. */
    readonly previous_expires_at: string | null;
  };
  /** What health probes found. */
  readonly health: {
    /** The outcome of the last probes. */
    readonly status: "unknown" | "ok" | "failing";
    /** When a probe last succeeded. */
    readonly last_ok_at: string | null;
    /** Probes that have failed since. */
    readonly consecutive_failures: number;
  };
  /** Restarts after crashes. */
  readonly restarts: {
    /** Restarts within the window. */
    readonly count: number;
    /** When the window of counted restarts began. */
    readonly window_started_at: string | null;
    /** When the next restart is due. */
    readonly next_at: string | null;
  };
  /** `null` without a process, and before its first sample. */
  readonly usage: EngineUsage | null;
  /** The version of the product's catalog that it uses. `null` without a process. */
  readonly catalog: {
    /** The version that its process uses. `null` while it is not known. */
    readonly version: number | null;
    /** Why it does not use the current one. */
    readonly error: string | null;
  } | null;
  /** Its last failure. */
  readonly last_error: LastError | null;
  /** `null` unless the engine is `sleeping`. */
  readonly sleep: {
    /** Since when it sleeps. */
    readonly since: string;
    /** Why. `capacity`: another engine needed its place. */
    readonly reason: "idle" | "request" | "capacity";
  } | null;
  /** `null` unless the engine is `running`. */
  readonly awake: {
    /** What woke it. `null` when it was started otherwise. */
    readonly woken_by: "call" | "start" | "admit" | "lookup" | "schedule" | "learning" | null;
    /** Its work, as it last reported it, at most a minute ago. */
    readonly kept_by: readonly ("turn" | "inbox" | "stream" | "request" | "learning" | "tool_call" | "recent_work")[];
    /** When its last work ended. `null` while it has work, and before its first report. */
    readonly idle_since: string | null;
    /** When its next learning batch is due; it runs earlier when the engine is to sleep. `null` without one. */
    readonly learning_due_at: string | null;
  } | null;
  /** Questions and permission prompts that its turns wait for, as it last reported them. */
  readonly open_questions: number;
  /** Why the engine is stopped. */
  readonly stop_reason: string | null;
  /** When it last had work. */
  readonly last_active_at: string | null;
  /** When it was provisioned. */
  readonly created_at: string;
  /** When its process started. */
  readonly started_at: string | null;
  /** When its process ended. */
  readonly stopped_at: string | null;
  /** The [plan](plans.md) of the engine. */
  readonly plan: string | null;
  /** The object that `provision` stored. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The engine's key, returned once. `null` for an engine that existed, and in a repeated response. */
  readonly engine_api_key: string | null;
}

/** Records of the memory, the newest first. */
export interface EpisodePage {
  /** The records of this page. */
  readonly items: readonly EpisodeRecord[];
  /** The `cursor` of the next page of the same list. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** A round of a conversation: a question and its answer. */
export interface EpisodeRecord {
  /** The round's id. */
  readonly id: string;
  /** What the round is about, in a few words. The question until a learning batch has read it. */
  readonly key: string;
  /** A sentence or two on the round. Learning replaces it by a better one. */
  readonly description: string;
  /** When it was stored, which is when its turn ended. */
  readonly created_at: string;
  /** The task, which is the conversation. */
  readonly task_id: string;
  /** The turn. */
  readonly turn_id: string;
  /** The user's message. The middle of a long one is left out. */
  readonly question: string;
  /** The agent's answer. The middle of a long one is left out. */
  readonly answer: string;
  /** 1 to 10. */
  readonly importance: number;
  /** Where it comes from. */
  readonly source: string;
  /** The least trusted source that it derives from. */
  readonly trust: TrustLabel;
  /** When the turn began. */
  readonly event_time: string;
}

/** One frame of an event stream. */
export type EventFrame = {
  /** The event's type. */
  readonly event: EventType;
  /** The event. */
  readonly data: EventRecord;
} | {
  /** Events after the reader's last one are no longer stored. */
  readonly event: "gap";
  /** Where the gap is. The frame is the first one of its stream. */
  readonly data: {
    /** The `Last-Event-ID` that the reader sent. */
    readonly after: string | null;
  };
};

/** Events, the newest first. */
export interface EventPage {
  /** The records of this page. */
  readonly data: readonly EventRecord[];
  /** The `cursor` of the next page. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** A change, written in one transaction with it. */
export interface EventRecord {
  /** The event's id. `Last-Event-ID` resumes a stream after it. */
  readonly id: string;
  /** What happened: a type of the table of events. */
  readonly type: EventType;
  /** When it happened. */
  readonly time: string;
  /** The product's id. `null` for an event of the host. */
  readonly product_id: string | null;
  /** The product's id of the user. `null` unless it is about one user. */
  readonly user_id: string | null;
  /** The engine's id. `null` unless it is about one engine. */
  readonly engine_id: string | null;
  /** The life of the engine's process. `null` unless it is about one. */
  readonly incarnation: string | null;
  /** The engine's state before. `null` unless the state changed. */
  readonly from: EngineState | null;
  /** The engine's state after. `null` unless the state changed. */
  readonly to: EngineState | null;
  /** Why, for people; of some types one of the words that the table of events lists. */
  readonly reason: string | null;
  /** The cause: a call of the product, a call of an operator, or the daemon itself. */
  readonly actor: "product" | "admin" | "orchd";
  /** The `X-Request-Id` of the call that caused it. `null` without a call. */
  readonly request_id: string | null;
  /** Further fields, which the table of events lists for each type. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** The event's type. */
export type EventType = "product.registered" | "product.policy_changed" | "product.plan_changed" | "product.plan_deleted" | "product.key_rotated" | "product.hook_secret_rotated" | "product.deleted" | "catalog.pushed" | "catalog.rolled_back" | "knowledge.changed" | "engine.provisioned" | "engine.starting" | "engine.running" | "engine.unhealthy" | "engine.crashed" | "engine.restarting" | "engine.gave_up" | "engine.stopping" | "engine.stopped" | "engine.slept" | "engine.woke" | "engine.adopted" | "engine.key_rotated" | "engine.plan_changed" | "engine.policy_changed" | "engine.destroyed" | "engine.leaked" | "budget.warned" | "budget.spent" | "secret.misused" | "schedule.created" | "schedule.changed" | "schedule.deleted" | "schedule.ran" | "schedule.failed" | "schedule.missed" | "turn.completed" | "turn.failed" | "turn.cancelled" | "task.titled" | "turn.waiting" | "secret.connected" | "secret.disconnected" | "secret.needs_login" | "host.draining" | "host.resumed" | "host.leader_changed" | "host.port_taken" | "host.calls_refused" | "host.breaker_opened" | "host.breaker_closed" | "host.backup_created" | "host.backup_failed" | "host.restored" | "host.schedules_resumed" | "host.identity_key_rotated";

/** A turn to run. */
export interface ExecuteRequest {
  /** The user's message: 1 byte to 1 MiB of text, not only white space, or a list of 1 to 256 parts with attachments. Only `regenerate` goes without one. */
  readonly message?: MessageContent | undefined;
  /** 1 to 256 bytes. A task is a conversation: the next turn with the same id continues it. */
  readonly task_id: string;
  /** An agent of the catalog. `default` when omitted. */
  readonly agent?: string | undefined;
  /** The [model](conversations.md#which-model-answers) of the turn: `model`, or `provider:model` for another provider. The agent's when omitted. */
  readonly model?: string | undefined;
  /** How much the model reasons, if it has this option. The agent's when omitted. */
  readonly effort?: "low" | "medium" | "high" | undefined;
  /** `true` requests the model's reasoning. `false` when omitted. */
  readonly thinking?: boolean | undefined;
  /** Model calls of the turn. 100 when omitted. */
  readonly max_steps?: number | undefined;
  /** `true` answers the task's last message again, which must be the user's, and takes no `message`. `false` when omitted. */
  readonly regenerate?: boolean | undefined;
  /** What happens to the turn when the client disconnects. `continue` when omitted. */
  readonly on_disconnect?: "continue" | "cancel" | undefined;
  /** An object that is stored with the turn. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** [Tools that the client runs](conversations.md#tools-that-the-client-runs) in this turn, up to 64 in 256 KiB. */
  readonly client_tools?: readonly ({
    /** The tool's name. It is no built-in tool and no tool of the catalog. */
    readonly name: string;
    /** What the tool does and when to use it. The model reads it. */
    readonly description: string;
    /** JSON Schema of the arguments, an object. */
    readonly input_schema: Readonly<Record<string, unknown>>;
    /** JSON Schema of the output. An answer that does not match is refused, and the call stays open. */
    readonly output_schema?: Readonly<Record<string, unknown>> | undefined;
  })[] | undefined;
  /** What happens while the task has a turn: `reject` answers 409 `TASK_BUSY`, `queue` lets the message wait for a turn of its own, `steer` hands it to the running turn. The policy's `when_busy` when omitted. */
  readonly when_busy?: "reject" | "queue" | "steer" | undefined;
  /** Only with `steer`: `true` cuts off the model's answer in progress. `false` when omitted. */
  readonly interrupt?: boolean | undefined;
  /** 1 to 255 characters of the caller's, unique in the task. The same id and body again is the same message. */
  readonly message_id?: string | undefined;
  /** [Structured output](conversations.md#structured-output): JSON Schema 2020-12 for an object, at most 32 KiB. The agent's own when omitted. */
  readonly output_schema?: Readonly<Record<string, unknown>> | undefined;
  /** [Context of a turn](conversations.md#context-of-a-turn): data for the model that are not the user's words, at most 32 items and 16 KiB. */
  readonly context?: readonly ContextItem[] | undefined;
}

/** A fact that is true no longer. */
export interface FactEnded {
  /** The fact's id. */
  readonly id: string;
  /** Always `true`, also when the fact had ended before. */
  readonly ended: true;
}

/** A file, folder or link of the workspace. */
export interface FileEntry {
  /** The path in the workspace. */
  readonly path: string;
  /** Only files can be read. A link is never followed. `other`: a pipe, socket or device. */
  readonly type: "file" | "folder" | "link" | "other";
  /** The size. `null` for all but files. */
  readonly bytes: number | null;
  /** When its content was changed last. */
  readonly modified_at: string;
}

/** A link that reads one file and needs no key. */
export interface FileLink {
  /** The path in the workspace. */
  readonly path: string;
  /** The path of the link at the daemon's address. Whoever has it can read the file. */
  readonly link: string;
  /** When it stops working. */
  readonly expires_at: string;
}

/** What a folder of the workspace contains. */
export interface FileList {
  /** The folder. Empty for the workspace itself. */
  readonly path: string;
  /** By folder, the entries of each sorted by name. */
  readonly entries: readonly FileEntry[];
  /** Whether there are more than `limit`. */
  readonly truncated: boolean;
  /** Folders that could not be read, and entries whose names are not UTF-8: no call can name these. */
  readonly unreadable: number;
}

/** A task that begins with messages of another one. */
export interface ForkedTask {
  /** The id of the new task. */
  readonly task_id: string;
  /** Where it was forked. */
  readonly parent: {
    /** The task that it was forked from. */
    readonly task_id: string;
    /** The last message that both have. `null`: none. */
    readonly after_message: string | null;
  };
  /** Messages of its conversation. */
  readonly message_count: number;
}

/** Where a new task begins. */
export interface ForkRequest {
  /** The last message that the new task has. The last one of the conversation when omitted, without those of a turn in flight. */
  readonly after_message?: string | undefined;
  /** The id of the new task: 1 to 256 bytes. A new one when omitted. */
  readonly task_id?: string | undefined;
}

/** The value of each field in which engines may differ. */
export interface HeldPolicy {
  /** Calls per minute that one user's tokens may make. */
  readonly user_requests_per_minute: number | null;
  /** Turns that may run for a user before tokens may start another. */
  readonly user_concurrent_turns: number | null;
  /** What happens to a message whose task has a turn, unless the call says it: `reject`, `queue` or `steer`. */
  readonly when_busy: "reject" | "queue" | "steer";
  /** Seconds without work after which an engine sleeps. 0 is never. */
  readonly idle_stop_s: number;
  /** Days without activity after which a task is deleted with its messages. A sleeping engine does it after its next wake. */
  readonly task_ttl_days: number | null;
  /** Memory of an engine. Three quarters of it are for the JavaScript heap, and tools together may use three quarters. */
  readonly memory_mb: number;
  /** Processes and threads of all tools of an engine. The engine has 64 of its own. */
  readonly max_processes: number;
  /** Size of an engine's folder, which holds workspace, store and caches. */
  readonly disk_mb: number;
  /** Size of the file contents that are kept for rewinds, at most a quarter of `disk_mb`. The oldest are removed first. 0 keeps none. */
  readonly checkpoint_mb: number;
  /** An engine's share of a busy CPU, as `cpu.weight` of cgroup v2. */
  readonly cpu_weight: number;
  /** The models that calls and agents of the catalog may name: `model` or `provider:model`, with `*` at the end for all that begin so. The models of the settings and of `fallback` are allowed without it. */
  readonly allowed_models: readonly string[] | null;
  /** The models that answer instead of one that fails, in order. An agent of the catalog may have its own list. */
  readonly fallback: readonly string[];
  /** The agents of the catalog that calls may name and agents may delegate to, with `*` at the end for all that begin so. The default agent is allowed without it. */
  readonly allowed_agents: readonly string[] | null;
  /** The tools that agents have, built in, of the catalog and of tool servers, with `*` at the end for all that begin so. */
  readonly allowed_tools: readonly string[] | null;
  /** What tools may connect to: `open` (the public internet), `none`, or a list of hosts and networks. */
  readonly tool_network: "open" | "none" | readonly string[];
  /** Size of all attachments of one message, or of one tool result. 0 allows none. */
  readonly attachment_mb: number;
  /** Attachments of one message, or of one tool result. */
  readonly attachment_count: number;
  /** Kinds of files that may be attached, decided by their bytes. */
  readonly attachment_kinds: readonly ("image" | "pdf" | "audio" | "text" | "other")[];
  /** What each engine and all together may spend in a UTC day and month. */
  readonly budgets: {
    /** What each engine may spend. A limit left out is no limit. */
    readonly engine: {
      /** Tokens in a UTC day. */
      readonly tokens_per_day?: number | undefined;
      /** Tokens in a UTC month. */
      readonly tokens_per_month?: number | undefined;
      /** Cost in a UTC day, in units of the price table's currency. */
      readonly cost_per_day?: number | undefined;
      /** Cost in a UTC month, in units of the price table's currency. */
      readonly cost_per_month?: number | undefined;
    };
    /** What all engines of the product may spend together. A limit left out is no limit. */
    readonly product: {
      /** Tokens in a UTC day. */
      readonly tokens_per_day?: number | undefined;
      /** Tokens in a UTC month. */
      readonly tokens_per_month?: number | undefined;
      /** Cost in a UTC day, in units of the price table's currency. */
      readonly cost_per_day?: number | undefined;
      /** Cost in a UTC month, in units of the price table's currency. */
      readonly cost_per_month?: number | undefined;
    };
    /** The share of a budget, above 0 and at most 1, at which `budget.warned` is written. */
    readonly warn_at: number;
  };
  /** Schedules and webhooks of one engine. */
  readonly max_schedules: number;
  /** Least seconds between two runs of a schedule. */
  readonly min_schedule_interval_s: number;
}

/** `question`: of the agent. `permission`: a permission prompt. `login`: the user is to sign in to a tool server. */
export type HitlKind = "question" | "permission" | "login";

/** One check of the daemon or its host. */
export interface HostCheck {
  /** The name of the check: one word. */
  readonly name: string;
  /** `problem`: something does not work. `warning`: something should be improved, or will fail soon. */
  readonly status: "ok" | "warning" | "problem";
  /** What was found. */
  readonly message: string;
  /** A command or setting that removes the problem. `null` when nothing is wrong. */
  readonly fix: string | null;
}

/** The daemon's process runs and answers. */
export interface HostHealth {
  /** Always `ok`. */
  readonly status: "ok";
  /** The daemon's version. */
  readonly version: string;
  /** The host's id. Replicas of one host have the same. */
  readonly host_id: string;
  /** Seconds since the daemon's process started. */
  readonly uptime_s: number;
  /** A `follower` forwards calls to the leader, or waits to lead. */
  readonly role: "leader" | "follower";
  /** The URL or the name of the leader. `null` while it is unknown. */
  readonly leader: string | null;
}

/** The daemon serves calls. */
export interface HostReadiness {
  /** Always `ready`. A daemon that does not serve calls answers 503. */
  readonly status: "ready";
  /** The daemon's version. */
  readonly version: string;
  /** A `follower` forwards calls to the leader, or waits to lead. */
  readonly role: "leader" | "follower";
  /** The URL or the name of the leader. `null` while it is unknown. */
  readonly leader: string | null;
}

/** What the daemon finds when it checks itself and its host. */
export interface HostReport {
  /** The daemon's version. */
  readonly version: string;
  /** The version of Node.js. */
  readonly node: string;
  /** The settings of the daemon's environment, with `(set)` instead of a value that may be a secret. */
  readonly settings: Readonly<Record<string, string>>;
  /** The checks in the order in which they are shown. */
  readonly checks: readonly HostCheck[];
}

/** The sums of all engines of the host. */
export interface HostSamples {
  /** Seconds between two samples. */
  readonly interval_s: number;
  /** The time of the first sample. */
  readonly from: string;
  /** The values of each measure, the oldest first. One is `null` where nothing was measured. */
  readonly samples: {
    /** Per cent of one core, on average. */
    readonly cpu_percent: readonly (number | null)[];
    /** MiB of memory at the end of the interval. */
    readonly memory_mb: readonly (number | null)[];
    /** MiB of the engine's folder at the end of the interval. */
    readonly disk_mb: readonly (number | null)[];
    /** Turns that ran or waited for a person at the end of the interval. */
    readonly active_turns: readonly (number | null)[];
    /** Turns that ended in the interval. */
    readonly turns: readonly (number | null)[];
    /** Turns of them that ended with an error. */
    readonly failed_turns: readonly (number | null)[];
    /** Input and output tokens of the models in the interval. */
    readonly tokens: readonly (number | null)[];
  };
  /** The number of engines with a process. */
  readonly engines: readonly (number | null)[];
}

/** The daemon's host, for operators. */
export interface HostStatus {
  /** The daemon's version. */
  readonly version: string;
  /** The host's id. Replicas of one host have the same. */
  readonly host_id: string;
  /** Seconds since the daemon's process started. */
  readonly uptime_s: number;
  /** Whether the host accepts no new engines, from `POST /admin/drain` to `/admin/resume`. */
  readonly draining: boolean;
  /** Whether no schedule runs, from a restore to `POST /admin/schedules/resume`. */
  readonly schedules_paused: boolean;
  /** `open` while restarts wait because many engines fail at once. */
  readonly breaker: "open" | "closed";
  /** The number of engines in each state. */
  readonly engines: Readonly<Record<"provisioning" | "starting" | "running" | "unhealthy" | "sleeping" | "backoff" | "stopping" | "stopped" | "failed" | "stop_failed" | "destroying", number>>;
  /** Engines that are awake. */
  readonly awake: {
    /** Engines with a process. */
    readonly engines: number;
    /** The most engines that may be awake, spares included. At the limit, one must sleep before another starts. `null` is no limit. */
    readonly limit: number | null;
    /** MiB that an awake engine takes: measured and smoothed, or expected before the first measurement. */
    readonly engine_mb: number;
  };
  /** The queue of starts. */
  readonly boots: {
    /** Engines that start now. */
    readonly starting: number;
    /** Engines that wait for their turn to start. */
    readonly waiting: number;
  };
  /** Processes that wait for the next starts of engines. */
  readonly spares: {
    /** Processes that an engine can start in at once. */
    readonly ready: number;
    /** How many there are to be: `ORCH_WARM_ENGINES`. */
    readonly target: number;
    /** Why no more are started. `null` when nothing is wrong. */
    readonly problem: string | null;
  };
  /** The ports of engines' addresses. `null` where engines have addresses of their own: in [Kubernetes](kubernetes.md). */
  readonly ports: {
    /** The first port: `ORCH_PORT_MIN`. */
    readonly min: number;
    /** The last port: `ORCH_PORT_MAX`. */
    readonly max: number;
    /** Ports from the first to the last. */
    readonly total: number;
    /** Ports of engines. */
    readonly taken: number;
    /** Ports that the next engines can take. */
    readonly free: number;
    /** Ports that were released, and are not reused yet. */
    readonly resting: number;
    /** Ports on which another program was found. They are skipped for a while. */
    readonly quarantined: number;
  } | null;
  /** What the host has, and how busy it is. */
  readonly load: {
    /** The load average of the last minute. */
    readonly average: number;
    /** Processor cores. */
    readonly cores: number;
    /** MiB of memory that programs can still take. */
    readonly memory_available_mb: number;
    /** MiB of memory. */
    readonly memory_total_mb: number;
    /** MiB that are free where the data folder is. */
    readonly disk_free_mb: number;
  };
  /** The isolation of engines and tools on this host. */
  readonly isolation: Isolation;
  /** The backups of this host. */
  readonly backup: {
    /** Hours between scheduled backups. `null` without a schedule. */
    readonly every_h: number | null;
    /** When the newest backup was created. `null` without one. */
    readonly newest_at: string | null;
    /** Whether a backup runs. */
    readonly running: boolean;
    /** Why the last backup failed or lacks files. `null` when nothing is wrong. */
    readonly problem: string | null;
  };
  /** Processes of engines without a record. */
  readonly orphans: readonly {
    /** The life of an engine that the processes belong to. */
    readonly incarnation: string;
    /** The processes' ids. Empty with a backend that has none. */
    readonly pids: readonly number[];
    /** The commands that show and end them. */
    readonly fix: string;
  }[];
  /** What an operator should look at, in sentences. */
  readonly warnings: readonly string[];
}

/** Where the keys of identity tokens are, for programs that find them by the issuer. */
export interface IdentityIssuer {
  /** `iss` of the tokens: the host's public URL. */
  readonly issuer: string;
  /** The address of the keys. */
  readonly jwks_uri: string;
  /** The algorithms of signatures. */
  readonly id_token_signing_alg_values_supported: readonly string[];
  /** Required by the format. Nobody signs in here. */
  readonly response_types_supported: readonly string[];
  /** `sub` is the same for every audience. */
  readonly subject_types_supported: readonly string[];
}

/** A public key, as JSON Web Key (RFC 7517). */
export interface IdentityKey {
  /** Its id, as `kid` in the header of tokens. */
  readonly kid: string;
  /** Its type. */
  readonly kty: "EC";
  /** Its curve. */
  readonly crv: "P-256";
  /** The algorithm of its signatures. */
  readonly alg: "ES256";
  /** It signs. */
  readonly use: "sig";
  /** The first coordinate, base64url. */
  readonly x: string;
  /** The second coordinate, base64url. */
  readonly y: string;
}

/** A change of the key that signs identity tokens. */
export interface IdentityKeyRotation {
  /** The new key. */
  readonly kid: string;
  /** When it begins to sign. Until then products read it among the published keys. */
  readonly signs_from: string;
  /** The key that signs until then. `null` with `at_once`. */
  readonly replaces: string | null;
  /** How many keys are published now. */
  readonly published: number;
}

/** The keys that sign identity tokens, as JSON Web Key Set (RFC 7517). */
export interface IdentityKeys {
  /** The one that signs, the next one, and those whose tokens have not all ended. */
  readonly keys: readonly IdentityKey[];
}

/** The messages that wait in a task's inbox. */
export interface InboxList {
  /** In the order in which they were sent, at most 100. */
  readonly messages: readonly WaitingMessage[];
}

/** The isolation of engines and tools on this host. */
export interface Isolation {
  /** As `ORCH_ISOLATION` sets it. */
  readonly mode: IsolationMode;
  /** The parts, each once. */
  readonly parts: readonly IsolationPart[];
}

/** As `ORCH_ISOLATION` sets it. */
export type IsolationMode = "auto" | "require" | "off";

/** One part of the isolation. */
export interface IsolationPart {
  /** `engine`: what the engine's process can reach. `user`: an operating-system user per engine. `tools`: what commands and tool servers can reach. `network`: which hosts they can reach. `limits`: what they can use up. */
  readonly name: "engine" | "user" | "tools" | "network" | "limits";
  /** Whether the part holds on this host. */
  readonly active: boolean;
  /** Why the part is inactive, or covers less than it could. `null` when nothing is missing. */
  readonly problem: string | null;
  /** The setting or the command that removes the problem. */
  readonly fix: string | null;
  /** How the part is implemented on this host. */
  readonly detail: string | null;
}

/** A document of a product's knowledge, without its text. */
export interface KnowledgeDocument {
  /** Its path, which the product chose. */
  readonly path: string;
  /** Its title, by itself: of a PDF file or page, or the first heading. Else the name of the file. */
  readonly title: string;
  /** What it was read as. */
  readonly media_type: "text/plain" | "text/markdown" | "text/html" | "application/pdf";
  /** The size as it was uploaded. */
  readonly bytes: number;
  /** The SHA-256 of what was uploaded, in hex. */
  readonly sha256: string;
  /** The number of passages that it is searched by. */
  readonly passages: number;
  /** Who uploaded it: a call of the product or of an operator. */
  readonly actor: "product" | "admin" | "orchd";
  /** When it was first uploaded. */
  readonly created_at: string;
  /** When it was last replaced. */
  readonly updated_at: string;
}

/** A document was deleted. */
export interface KnowledgeDocumentDeleted {
  /** It is gone. */
  readonly deleted: true;
  /** Rises with each change of the documents. 0 before the first one. */
  readonly version: number;
}

/** A document that was stored. */
export interface KnowledgeDocumentPut {
  /** Its path, which the product chose. */
  readonly path: string;
  /** Its title, by itself: of a PDF file or page, or the first heading. Else the name of the file. */
  readonly title: string;
  /** What it was read as. */
  readonly media_type: "text/plain" | "text/markdown" | "text/html" | "application/pdf";
  /** The size as it was uploaded. */
  readonly bytes: number;
  /** The SHA-256 of what was uploaded, in hex. */
  readonly sha256: string;
  /** The number of passages that it is searched by. */
  readonly passages: number;
  /** Who uploaded it: a call of the product or of an operator. */
  readonly actor: "product" | "admin" | "orchd";
  /** When it was first uploaded. */
  readonly created_at: string;
  /** When it was last replaced. */
  readonly updated_at: string;
  /** Rises with each change of the documents. 0 before the first one. */
  readonly version: number;
  /** `false` if the same document was stored already, so that nothing was changed. */
  readonly is_new: boolean;
}

/** A document as it was read. */
export interface KnowledgeDocumentShown {
  /** Its path, which the product chose. */
  readonly path: string;
  /** Its title, by itself: of a PDF file or page, or the first heading. Else the name of the file. */
  readonly title: string;
  /** What it was read as. */
  readonly media_type: "text/plain" | "text/markdown" | "text/html" | "application/pdf";
  /** The size as it was uploaded. */
  readonly bytes: number;
  /** The SHA-256 of what was uploaded, in hex. */
  readonly sha256: string;
  /** The number of passages that it is searched by. */
  readonly passages: number;
  /** Who uploaded it: a call of the product or of an operator. */
  readonly actor: "product" | "admin" | "orchd";
  /** When it was first uploaded. */
  readonly created_at: string;
  /** When it was last replaced. */
  readonly updated_at: string;
  /** Its passages in order. */
  readonly content: readonly KnowledgePassage[];
}

/** The vectors of the passages of a product's documents, on the host that answers. */
export interface KnowledgeEmbeddings {
  /** The model of the endpoint that makes them. */
  readonly model: string;
  /** The passages that have a vector. */
  readonly embedded: number;
  /** The passages that wait for one. The others were refused by the endpoint. */
  readonly waiting: number;
  /** Why the last call of the endpoint failed. `null` after one that did not. */
  readonly last_error: string | null;
}

/** What a search of a product's knowledge found. */
export interface KnowledgeFound {
  /** The best first. */
  readonly results: readonly KnowledgeResult[];
}

/** A result of a search of the memory. */
export interface KnowledgeHit {
  /** The id of the round, the fact or the note. */
  readonly id: string;
  /** `episode`: a round. `note`: the agent's. */
  readonly kind: "episode" | "fact" | "note";
  /** The relevance verdict. `answers`: the memory seems to hold the answer, and this result is part of it. `touches`: the result only mentions the topic. */
  readonly bearing: "answers" | "touches";
  /** What it is about, in a few words. */
  readonly key: string;
  /** The text of the result. */
  readonly content: string;
  /** Only orders the results of one search. */
  readonly score: number;
  /** Where it comes from. */
  readonly source: string;
  /** The least trusted source that it derives from. */
  readonly trust: string;
  /** When the engine stored it. */
  readonly created_at: string;
  /** When the described event happened. */
  readonly event_time: string;
  /** Of a fact: since when it is true. */
  readonly valid_from: string | null;
  /** Of a fact: until when it was true. `null` if it is true now. */
  readonly valid_to: string | null;
  /** The ids of the rounds that it derives from. */
  readonly evidence: readonly string[];
}

/** The results of a search. */
export interface KnowledgeHits {
  /** The best result first. */
  readonly results: readonly KnowledgeHit[];
}

/** Records of the memory, the newest first. */
export interface KnowledgePage {
  /** The records of this page. */
  readonly items: readonly KnowledgeRecord[];
  /** The `cursor` of the next page of the same list. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** A passage of a document, as it is searched. */
export interface KnowledgePassage {
  /** Its number in the document, from 1. */
  readonly number: number;
  /** The headings above it, the outermost first. */
  readonly heading: readonly string[];
  /** Its first and last line. `null` in a PDF file or a page of HTML. */
  readonly lines: readonly unknown[] | null;
  /** Its first and last page. `null` except in a PDF file. */
  readonly pages: readonly unknown[] | null;
  /** Its text. */
  readonly text: string;
}

/** A fact, with the time in which it is true and the time in which the engine believed it. */
export interface KnowledgeRecord {
  /** The fact's id. */
  readonly id: string;
  /** The fact as a sentence. */
  readonly content: string;
  /** Whom or what it is about. */
  readonly subject: string;
  /** What it says of the subject. */
  readonly predicate: string;
  /** The value. */
  readonly object: string;
  /** 1 to 10. */
  readonly importance: number;
  /** How well its source supports it, 0 to 1. */
  readonly confidence: number;
  /** Who said it: `user` or `assistant`. */
  readonly source: string;
  /** The least trusted source that it derives from. */
  readonly trust: TrustLabel;
  /** Since when it is true. `null` when no time was given. */
  readonly valid_from: string | null;
  /** Until when it was true. `null` for a fact that is true now. */
  readonly valid_to: string | null;
  /** When the engine learned it. */
  readonly created_at: string;
  /** When the engine stopped believing it. `null` while it does. */
  readonly invalidated_at: string | null;
  /** The id of the fact that replaced it. */
  readonly superseded_by: string | null;
  /** The ids of the rounds that it derives from. */
  readonly evidence: readonly string[];
}

/** Passages of a document of the [product's knowledge](knowledge.md) that a search found. */
export interface KnowledgeResult {
  /** What the model cites it by: the document's path with lines, pages or the number of the passage. */
  readonly source: string;
  /** The path of the document. */
  readonly path: string;
  /** The title of the document. */
  readonly title: string;
  /** The headings above it, the outermost first. */
  readonly heading: readonly string[];
  /** Its first and last line. `null` in a PDF file or a page of HTML. */
  readonly lines: readonly unknown[] | null;
  /** Its first and last page. `null` except in a PDF file. */
  readonly pages: readonly unknown[] | null;
  /** The text of the passages. */
  readonly text: string;
}

/** Why an engine last failed. */
export interface LastError {
  /** What it was doing. */
  readonly phase: "boot" | "run" | "stop";
  /** The cause, for people. */
  readonly reason: string;
  /** The process's exit code. `null` when a signal ended it. */
  readonly exit_code: number | null;
  /** The signal that ended the process. */
  readonly signal: string | null;
  /** Whether it ran out of memory. */
  readonly oom: boolean;
  /** The last lines of its log. */
  readonly log_tail: readonly string[];
  /** When it failed. */
  readonly at: string;
}

/** The result of a learning batch. */
export interface LearningBatch {
  /** The batch's id. */
  readonly batch_id: string;
  /** Turns that it read. */
  readonly trajectories: number;
  /** Rounds for which it wrote a better key and description. */
  readonly episodes: number;
  /** New facts. */
  readonly knowledge_added: number;
  /** Facts that a new one replaced. */
  readonly knowledge_closed: number;
  /** New people and things. */
  readonly nodes: number;
  /** Lines of the profile page that were written or removed. */
  readonly profile_lines: number;
  /** New skill drafts, for a person to decide. */
  readonly skills_drafted: number;
  /** Milliseconds that it took. */
  readonly duration_ms: number;
}

/** The file that a link reads. */
export interface LinkFileRequest {
  /** The path of a file. */
  readonly path: string;
  /** Seconds that the link is valid, at most 3600. 600 when omitted. */
  readonly ttl_s?: number | undefined;
}

/** This deployment as a client of authorization servers. */
export interface LoginClient {
  /** The address of this document. */
  readonly client_id: string;
  /** What people read. */
  readonly client_name: string;
  /** Where users come back to. */
  readonly redirect_uris: readonly string[];
  /** How it gets tokens. */
  readonly grant_types: readonly string[];
  /** What it asks for. */
  readonly response_types: readonly string[];
  /** It has no secret, and uses PKCE. */
  readonly token_endpoint_auth_method: string;
}

/** A link with which the user signs in to a tool server. */
export interface LoginLink {
  /** The link, for the user alone. */
  readonly url: string;
  /** When it ends. */
  readonly expires_at: string;
}

/** What was encrypted again with the current secret key. */
export interface MasterRotation {
  /** Values that were encrypted with the previous key. */
  readonly resealed: number;
  /** Values that neither key opens. */
  readonly unreadable: number;
  /** Where the next call goes on. `null`: the previous key is no longer needed. */
  readonly next: string | null;
}

/** The result of an erasure. */
export interface MemoryErased {
  /** Rows by table, and files by kind. */
  readonly erased: Readonly<Record<string, number>>;
}

/** The last line of an exported memory. A file without it is incomplete. */
export interface MemoryFileEnd {
  /** Marks the last line. */
  readonly type: "end";
  /** The number of records by type. */
  readonly counts: Readonly<Record<string, number>>;
}

/** The first line of an exported memory. */
export interface MemoryFileHeader {
  /** Marks the first line. */
  readonly type: "header";
  /** The format of the file. */
  readonly format: "orchd-memory";
  /** The version of the format. */
  readonly version: number;
  /** The version of the engine that wrote the file. */
  readonly engine_version: string;
  /** The engine's id. */
  readonly engine_id: string;
  /** The product's id of the user. */
  readonly user_id: string;
  /** The slug of the product. */
  readonly product: string;
  /** The time of the snapshot. */
  readonly exported_at: string;
}

export type MemoryFileLine = MemoryFileHeader | MemoryFileEnd | MemoryFileRecord;

/** One record of an exported memory. Its other fields depend on its type, and are named as in the engine's lists. Times are ISO 8601 UTC. */
export interface MemoryFileRecord {
  /** The type of the record. */
  readonly type: string;
  /** The record's id. */
  readonly id?: string | undefined;
  /** The least trusted source that it derives from. */
  readonly trust?: TrustLabel | undefined;
}

/** The result of an import, by type of record. */
export interface MemoryImported {
  /** Records that are new. */
  readonly imported: Readonly<Record<string, number>>;
  /** Records that existed before, or belong to one that did. They do not change. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** Only after a damaged store was set aside, until a memory is imported or erased: where the store is. */
export interface MemoryReset {
  /** When the empty store was created. */
  readonly at: string;
  /** The path of the damaged store on the engine's host. */
  readonly old_file: string;
  /** What was damaged. */
  readonly reason: string;
}

/** Replaces the message, as `message` of `POST /execute`. */
export type MessageContent = string | readonly MessagePart[];

export type MessagePart = TextPart | AttachmentPart;

/** What happens to due times at which nothing could run. `skip`: no run. `run_once`: one run for all of them. `run_all`: one run for each of the newest, up to `missed_limit`. Default: `skip`. */
export type MissedPolicy = "skip" | "run_once" | "run_all";

/** How the last call of a model went. Omitted until the engine is loaded. */
export interface ModelHealth {
  /** `retrying`: a call waits for a retry. `unknown`: there was no call yet. */
  readonly status: "unknown" | "ok" | "retrying" | "failing";
  /** Cause, address and model of the last failure. The model may have recovered since. `null` without one. */
  readonly last_error: string | null;
  /** When that failure was. */
  readonly last_error_at: string | null;
  /** When the next retry is. `null` unless `retrying`. */
  readonly next_try_at: string | null;
}

/** A request to a model as it was sent, without secrets and the bytes of files. */
export interface ModelRequestRecord {
  /** From 1 within the turn, in the order in which the calls ended. A call is listed when it has ended. */
  readonly number: number;
  /** The agent that made the call. */
  readonly agent: string;
  /** `summary`: the call of a compaction. */
  readonly purpose: "turn" | "summary";
  /** The provider, as `LLM_PROVIDER` names it. */
  readonly provider: string;
  /** The model's name, as it was sent. */
  readonly model: string;
  /** When the call began. */
  readonly started_at: string;
  /** Milliseconds until it ended, retries included. */
  readonly duration_ms: number;
  /** Milliseconds until the first part of the answer, retries included. `null` without an answer. */
  readonly first_token_ms: number | null;
  /** How often the request was sent. 0: the call failed before. */
  readonly tries: number;
  /** How the call ended. */
  readonly outcome: "completed" | "failed" | "aborted";
  /** The model's finish reason, or the kind of failure. */
  readonly reason: string;
  /** Tokens as the provider reported them. `null` without a report. */
  readonly usage: {
    /** Tokens of the input, with those read from the provider's cache. */
    readonly input_tokens: number;
    /** Tokens of the output, with those of reasoning. */
    readonly output_tokens: number;
    /** Tokens of the input that the provider read from its cache. */
    readonly cache_hit_tokens: number;
    /** Tokens of the input that the provider wrote to its cache. */
    readonly cache_write_tokens: number;
  } | null;
  /** The share of the input that was read from the provider's cache, 0 to 1. `null` without a report. */
  readonly cache_share: number | null;
  /** How the request fills the context window. */
  readonly context: {
    /** Tokens by part. They add up to the reported input, or are estimates without a report. */
    readonly parts: ContextParts;
    /** Whether the provider has not counted the input. */
    readonly is_estimate: boolean;
    /** Tokens that the context window keeps free for the answer. */
    readonly answer_reserve: number;
    /** The model's context window in tokens. */
    readonly window: number;
  };
  /** The turn's id. */
  readonly turn_id: string;
  /** The HTTP method. `null` for the sandbox model, which sends nothing, and for a call that failed before it was sent. */
  readonly method: string | null;
  /** Path and query of the address, without secrets. `null` when `method` is. */
  readonly path: string | null;
  /** The headers. Values that may be secret are redacted. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON, or its first characters as text when `truncated`. For the sandbox model, what it was asked. `null` for a call that was not sent. */
  readonly body: unknown;
  /** The length of the sent body. */
  readonly body_bytes: number;
  /** Whether the body was longer than 1 MiB, and was cut. */
  readonly truncated: boolean;
}

/** The model calls of a turn. They are kept for 24 hours. */
export interface ModelRequests {
  /** The turn's id. */
  readonly turn_id: string;
  /** `false` when the setting `ENGINE_KEEP_REQUESTS` is off. */
  readonly kept: boolean;
  /** The calls in the order in which they ended. */
  readonly requests: readonly ModelRequestSummary[];
}

/** A model call of a turn, and what its request contained. */
export interface ModelRequestSummary {
  /** From 1 within the turn, in the order in which the calls ended. A call is listed when it has ended. */
  readonly number: number;
  /** The agent that made the call. */
  readonly agent: string;
  /** `summary`: the call of a compaction. */
  readonly purpose: "turn" | "summary";
  /** The provider, as `LLM_PROVIDER` names it. */
  readonly provider: string;
  /** The model's name, as it was sent. */
  readonly model: string;
  /** When the call began. */
  readonly started_at: string;
  /** Milliseconds until it ended, retries included. */
  readonly duration_ms: number;
  /** Milliseconds until the first part of the answer, retries included. `null` without an answer. */
  readonly first_token_ms: number | null;
  /** How often the request was sent. 0: the call failed before. */
  readonly tries: number;
  /** How the call ended. */
  readonly outcome: "completed" | "failed" | "aborted";
  /** The model's finish reason, or the kind of failure. */
  readonly reason: string;
  /** Tokens as the provider reported them. `null` without a report. */
  readonly usage: {
    /** Tokens of the input, with those read from the provider's cache. */
    readonly input_tokens: number;
    /** Tokens of the output, with those of reasoning. */
    readonly output_tokens: number;
    /** Tokens of the input that the provider read from its cache. */
    readonly cache_hit_tokens: number;
    /** Tokens of the input that the provider wrote to its cache. */
    readonly cache_write_tokens: number;
  } | null;
  /** The share of the input that was read from the provider's cache, 0 to 1. `null` without a report. */
  readonly cache_share: number | null;
  /** How the request fills the context window. */
  readonly context: {
    /** Tokens by part. They add up to the reported input, or are estimates without a report. */
    readonly parts: ContextParts;
    /** Whether the provider has not counted the input. */
    readonly is_estimate: boolean;
    /** Tokens that the context window keeps free for the answer. */
    readonly answer_reserve: number;
    /** The model's context window in tokens. */
    readonly window: number;
  };
}

/** A file or folder that was moved. */
export interface MovedFile {
  /** Where it was. */
  readonly from: string;
  /** Where it is. */
  readonly to: string;
}

/** What is moved, and where to. */
export interface MoveFileRequest {
  /** The path of a file or folder. */
  readonly from: string;
  /** Its new path. Missing folders are made. */
  readonly to: string;
  /** `true` replaces a file at `to`. `false` when omitted. */
  readonly overwrite?: boolean | undefined;
}

/** One message to one endpoint. */
export interface NotificationDelivery {
  /** Its id, the `webhook-id` of every try. */
  readonly id: string;
  /** The event. */
  readonly type: string;
  /** `pending` waits for a try, `delivered` was accepted, `dead` was given up. */
  readonly state: "pending" | "delivered" | "dead";
  /** Tries so far. */
  readonly attempts: number;
  /** When it is tried next. `null` unless it is pending. */
  readonly next_try_at: string | null;
  /** How the last try failed: `status 500`, or a code such as `ETIMEDOUT`. */
  readonly last_error: string | null;
  /** When the event was taken. */
  readonly created_at: string;
  /** When it was accepted. */
  readonly delivered_at: string | null;
}

/** Deliveries, the newest first. */
export interface NotificationDeliveryPage {
  /** The records of this page. */
  readonly data: readonly NotificationDelivery[];
  /** The `cursor` of the next page. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** An address of the product that is told of events. */
export interface NotificationEndpoint {
  /** Its id. */
  readonly id: string;
  /** Where messages are sent: an `https` address of the public internet, or a host of the policy's `private_hosts`. */
  readonly url: string;
  /** The [events](orchestrator-api.md#events) that are sent. */
  readonly events: readonly string[];
  /** `false` while it is paused: messages wait. */
  readonly enabled: boolean;
  /** Why orchd paused it: it answered 410. `null` otherwise. */
  readonly paused_reason: string | null;
  /** Deliveries that wait for a try. */
  readonly pending: number;
  /** Deliveries that were given up. */
  readonly dead: number;
  /** When a message was last accepted. `null` before. */
  readonly last_delivered_at: string | null;
  /** The first of the tries that have failed since then. `null` after a success. */
  readonly failing_since: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it was last changed. */
  readonly updated_at: string;
}

export interface NotificationEndpointDeleted {
  /** It and its deliveries are gone. */
  readonly deleted: true;
}

/** The endpoints of a product. */
export interface NotificationEndpoints {
  /** All of them, by id. */
  readonly endpoints: readonly NotificationEndpoint[];
}

/** An endpoint with its secret. */
export interface NotificationEndpointWithSecret {
  /** Its id. */
  readonly id: string;
  /** Where messages are sent: an `https` address of the public internet, or a host of the policy's `private_hosts`. */
  readonly url: string;
  /** The [events](orchestrator-api.md#events) that are sent. */
  readonly events: readonly string[];
  /** `false` while it is paused: messages wait. */
  readonly enabled: boolean;
  /** Why orchd paused it: it answered 410. `null` otherwise. */
  readonly paused_reason: string | null;
  /** Deliveries that wait for a try. */
  readonly pending: number;
  /** Deliveries that were given up. */
  readonly dead: number;
  /** When a message was last accepted. `null` before. */
  readonly last_delivered_at: string | null;
  /** The first of the tries that have failed since then. `null` after a success. */
  readonly failing_since: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it was last changed. */
  readonly updated_at: string;
  /** The secret that signs messages, returned once. */
  readonly secret: string;
}

export interface NotificationsReplayed {
  /** Deliveries that are tried again. */
  readonly replayed: number;
}

/** What programs decide by. */
export type OrchestratorErrorCode = "INVALID_REQUEST" | "INVALID_PLATFORM_KEY" | "INVALID_ADMIN_KEY" | "INVALID_SIGNATURE" | "INVALID_SESSION" | "INVALID_LINK" | "INSUFFICIENT_ROLE" | "POLICY_DENIED" | "NOT_FOUND" | "PRODUCT_NOT_FOUND" | "ENGINE_NOT_FOUND" | "PLAN_NOT_FOUND" | "SESSION_NOT_FOUND" | "QUESTION_NOT_FOUND" | "SCHEDULE_NOT_FOUND" | "CONNECTION_NOT_FOUND" | "ENDPOINT_NOT_FOUND" | "SECRET_NOT_FOUND" | "WEBHOOK_NOT_FOUND" | "CATALOG_VERSION_NOT_FOUND" | "KNOWLEDGE_DOCUMENT_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "PRODUCT_ALREADY_EXISTS" | "PLAN_IN_USE" | "ENGINE_ALREADY_EXISTS" | "ENGINE_ALREADY_RUNNING" | "ENGINE_NOT_RUNNING" | "QUESTION_ANSWERED" | "ENGINE_BUSY" | "OPERATION_IN_PROGRESS" | "IDEMPOTENCY_CONFLICT" | "CATALOG_CHANGED" | "PAYLOAD_TOO_LARGE" | "CATALOG_INVALID" | "KNOWLEDGE_DOCUMENT_INVALID" | "QUOTA_EXCEEDED" | "RATE_LIMITED" | "INTERNAL_ERROR" | "BACKEND_ERROR" | "LEADER_LOST" | "PORT_EXHAUSTION" | "SERVICE_UNAVAILABLE" | "CAPACITY_EXHAUSTED" | "BOOT_TIMEOUT";

/** An open question to a person. */
export interface PendingRequest {
  /** The request's id, which `POST /hitl/respond` takes. */
  readonly request_id: string;
  /** `question`: of the agent. `permission`: a permission prompt. `login`: the user is to sign in to a tool server. */
  readonly kind: HitlKind;
  /** The text of the question. */
  readonly question: string;
  /** `tool_call_id`, and `allow_free_text`: whether an answer may be other text than an option. A permission prompt adds what is to be allowed, a login the `server` and the `url` of its link. */
  readonly context: Readonly<Record<string, unknown>>;
  /** The answers to choose from. */
  readonly options: readonly string[];
  /** The task of the turn that waits. */
  readonly task_id: string;
  /** The turn that waits. */
  readonly turn_id: string;
  /** When the turn asked. */
  readonly created_at: string;
}

/** The open questions and permission prompts. */
export interface PendingRequests {
  /** The open requests. */
  readonly requests: readonly PendingRequest[];
}

/** A call that waits for the client's answer. */
export interface PendingToolCall {
  /** The call's id, which `POST /tools/respond` takes. */
  readonly tool_call_id: string;
  /** The tool's name. */
  readonly tool: string;
  /** The input of the call. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Of a delegated agent: its name. */
  readonly agent?: string | undefined;
  /** Of a delegated agent: the call of `delegate` that started it. */
  readonly parent_tool_call_id?: string | undefined;
  /** The task of the turn that waits. */
  readonly task_id: string;
  /** The turn that waits. */
  readonly turn_id: string;
  /** When the model called the tool. */
  readonly created_at: string;
}

/** The calls that wait for the client's answer. */
export interface PendingToolCalls {
  /** The open calls, the oldest first. */
  readonly calls: readonly PendingToolCall[];
}

/** A named part of a product's policy, which engines can have. */
export interface Plan {
  /** Its name, unique in the product. */
  readonly name: string;
  /** What it sets. */
  readonly policy: {
    /** Calls per minute that one user's tokens may make. */
    readonly user_requests_per_minute?: number | null | undefined;
    /** Turns that may run for a user before tokens may start another. */
    readonly user_concurrent_turns?: number | null | undefined;
    /** What happens to a message whose task has a turn, unless the call says it: `reject`, `queue` or `steer`. */
    readonly when_busy?: "reject" | "queue" | "steer" | undefined;
    /** Seconds without work after which an engine sleeps. 0 is never. */
    readonly idle_stop_s?: number | undefined;
    /** Days without activity after which a task is deleted with its messages. A sleeping engine does it after its next wake. */
    readonly task_ttl_days?: number | null | undefined;
    /** Memory of an engine. Three quarters of it are for the JavaScript heap, and tools together may use three quarters. */
    readonly memory_mb?: number | undefined;
    /** Processes and threads of all tools of an engine. The engine has 64 of its own. */
    readonly max_processes?: number | undefined;
    /** Size of an engine's folder, which holds workspace, store and caches. */
    readonly disk_mb?: number | undefined;
    /** Size of the file contents that are kept for rewinds, at most a quarter of `disk_mb`. The oldest are removed first. 0 keeps none. */
    readonly checkpoint_mb?: number | undefined;
    /** An engine's share of a busy CPU, as `cpu.weight` of cgroup v2. */
    readonly cpu_weight?: number | undefined;
    /** The models that calls and agents of the catalog may name: `model` or `provider:model`, with `*` at the end for all that begin so. The models of the settings and of `fallback` are allowed without it. */
    readonly allowed_models?: readonly string[] | null | undefined;
    /** The models that answer instead of one that fails, in order. An agent of the catalog may have its own list. */
    readonly fallback?: readonly string[] | undefined;
    /** The agents of the catalog that calls may name and agents may delegate to, with `*` at the end for all that begin so. The default agent is allowed without it. */
    readonly allowed_agents?: readonly string[] | null | undefined;
    /** The tools that agents have, built in, of the catalog and of tool servers, with `*` at the end for all that begin so. */
    readonly allowed_tools?: readonly string[] | null | undefined;
    /** What tools may connect to: `open` (the public internet), `none`, or a list of hosts and networks. */
    readonly tool_network?: "open" | "none" | readonly string[] | undefined;
    /** Size of all attachments of one message, or of one tool result. 0 allows none. */
    readonly attachment_mb?: number | undefined;
    /** Attachments of one message, or of one tool result. */
    readonly attachment_count?: number | undefined;
    /** Kinds of files that may be attached, decided by their bytes. */
    readonly attachment_kinds?: readonly ("image" | "pdf" | "audio" | "text" | "other")[] | undefined;
    /** What each engine may spend. */
    readonly budgets?: {
      /** What each engine may spend. A limit left out is no limit. */
      readonly engine: {
        /** Tokens in a UTC day. */
        readonly tokens_per_day?: number | undefined;
        /** Tokens in a UTC month. */
        readonly tokens_per_month?: number | undefined;
        /** Cost in a UTC day, in units of the price table's currency. */
        readonly cost_per_day?: number | undefined;
        /** Cost in a UTC month, in units of the price table's currency. */
        readonly cost_per_month?: number | undefined;
      };
      /** The share of a budget, above 0 and at most 1, at which `budget.warned` is written. */
      readonly warn_at?: number | undefined;
    } | undefined;
    /** Schedules and webhooks of one engine. */
    readonly max_schedules?: number | undefined;
    /** Least seconds between two runs of a schedule. */
    readonly min_schedule_interval_s?: number | undefined;
  };
  /** Engines that have it. */
  readonly engines: number;
  /** When it was created. */
  readonly created_at: string;
  /** When it was last changed. */
  readonly updated_at: string;
}

export interface PlanDeleted {
  /** The plan is gone. */
  readonly deleted: true;
  /** Engines that had it, and now have the plan of `replace_by`. */
  readonly engines_moved: number;
}

export interface PlanList {
  /** All plans of the product, by name. */
  readonly data: readonly Plan[];
}

/** Its policy, with the default of each field that was never set. */
export interface Policy {
  /** Engines that are not destroyed. */
  readonly max_engines: number | null;
  /** Calls per minute; a large one counts more than once. */
  readonly requests_per_minute: number | null;
  /** Actions that the product's backend may call for. */
  readonly allowed_actions: readonly ("provision" | "start" | "stop" | "rotate_key" | "destroy" | "auto_provision")[];
  /** Hosts and networks off the public internet that the daemon may call for the product, also without TLS. Public hosts need `https` and no entry. */
  readonly private_hosts: readonly string[];
  /** Origins of pages that may call `/me` with a token of their user, such as `https://app.example.com`. */
  readonly allowed_origins: readonly string[];
  /** The product's own identity provider, whose tokens `/me` takes. */
  readonly end_users: {
    /** The exact `iss` of its tokens. */
    readonly issuer: string;
    /** The `aud` that its tokens have for orchd. */
    readonly audience: string;
    /** Where it publishes its keys (JWKS). Either this or `public_keys`. */
    readonly jwks_url?: string | undefined;
    /** Its keys as JSON Web Keys, 1 to 16 public ones. Either these or `jwks_url`. */
    readonly public_keys?: readonly Readonly<Record<string, unknown>>[] | undefined;
    /** The claim that is the `user_id`. `sub` when omitted. */
    readonly user_claim: string;
    /** The signatures that are accepted. */
    readonly algorithms: readonly ("RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512" | "EdDSA")[];
    /** Seconds by which its clock may differ. 30 when omitted. */
    readonly clock_skew_s: number;
    /** What its tokens [permit](browser.md#scopes), separated by spaces. */
    readonly scope: string;
  } | null;
  /** Calls per minute that one user's tokens may make. */
  readonly user_requests_per_minute: number | null;
  /** Turns that may run for a user before tokens may start another. */
  readonly user_concurrent_turns: number | null;
  /** Refuses every action of the product, and every turn of its engines. */
  readonly suspended: boolean;
  /** What a suspension does to running turns: `drain` lets them end, `now` cancels them. */
  readonly suspend: "drain" | "now";
  /** What happens to a message whose task has a turn, unless the call says it: `reject`, `queue` or `steer`. */
  readonly when_busy: "reject" | "queue" | "steer";
  /** Seconds without work after which an engine sleeps. 0 is never. */
  readonly idle_stop_s: number;
  /** Seconds that a stop waits for running turns. */
  readonly drain_s: number;
  /** Days without activity after which a task is deleted with its messages. A sleeping engine does it after its next wake. */
  readonly task_ttl_days: number | null;
  /** Memory of an engine. Three quarters of it are for the JavaScript heap, and tools together may use three quarters. */
  readonly memory_mb: number;
  /** Processes and threads of all tools of an engine. The engine has 64 of its own. */
  readonly max_processes: number;
  /** Size of an engine's folder, which holds workspace, store and caches. */
  readonly disk_mb: number;
  /** Size of the file contents that are kept for rewinds, at most a quarter of `disk_mb`. The oldest are removed first. 0 keeps none. */
  readonly checkpoint_mb: number;
  /** An engine's share of a busy CPU, as `cpu.weight` of cgroup v2. */
  readonly cpu_weight: number;
  /** The models that calls and agents of the catalog may name: `model` or `provider:model`, with `*` at the end for all that begin so. The models of the settings and of `fallback` are allowed without it. */
  readonly allowed_models: readonly string[] | null;
  /** The models that answer instead of one that fails, in order. An agent of the catalog may have its own list. */
  readonly fallback: readonly string[];
  /** The agents of the catalog that calls may name and agents may delegate to, with `*` at the end for all that begin so. The default agent is allowed without it. */
  readonly allowed_agents: readonly string[] | null;
  /** The tools that agents have, built in, of the catalog and of tool servers, with `*` at the end for all that begin so. */
  readonly allowed_tools: readonly string[] | null;
  /** What tools may connect to: `open` (the public internet), `none`, or a list of hosts and networks. */
  readonly tool_network: "open" | "none" | readonly string[];
  /** TCP ports on loopback that tools may listen on and connect to. */
  readonly tool_listen: readonly number[];
  /** Whether encrypted requests of tools to hosts of secrets end in the broker, which puts values in the place of placeholders. */
  readonly intercept: boolean;
  /** The product's own address that decides about calls of tools before they run. */
  readonly tool_hook: {
    /** Where calls are sent: an `https` address of the public internet, or a host of `private_hosts`. */
    readonly url: string;
    /** The tools whose calls are sent: names, or prefixes that end in `*`. 1 to 64. */
    readonly tools: readonly string[];
    /** Milliseconds that it may take to answer, 100 to 5000. 2000 when omitted. */
    readonly timeout_ms: number;
    /** What becomes of a call without a decision: `deny`, or `ask` a person. `deny` when omitted. */
    readonly on_error: "deny" | "ask";
  } | null;
  /** Size of all attachments of one message, or of one tool result. 0 allows none. */
  readonly attachment_mb: number;
  /** Attachments of one message, or of one tool result. */
  readonly attachment_count: number;
  /** Kinds of files that may be attached, decided by their bytes. */
  readonly attachment_kinds: readonly ("image" | "pdf" | "audio" | "text" | "other")[];
  /** What each engine and all together may spend in a UTC day and month. */
  readonly budgets: {
    /** What each engine may spend. A limit left out is no limit. */
    readonly engine: {
      /** Tokens in a UTC day. */
      readonly tokens_per_day?: number | undefined;
      /** Tokens in a UTC month. */
      readonly tokens_per_month?: number | undefined;
      /** Cost in a UTC day, in units of the price table's currency. */
      readonly cost_per_day?: number | undefined;
      /** Cost in a UTC month, in units of the price table's currency. */
      readonly cost_per_month?: number | undefined;
    };
    /** What all engines of the product may spend together. A limit left out is no limit. */
    readonly product: {
      /** Tokens in a UTC day. */
      readonly tokens_per_day?: number | undefined;
      /** Tokens in a UTC month. */
      readonly tokens_per_month?: number | undefined;
      /** Cost in a UTC day, in units of the price table's currency. */
      readonly cost_per_day?: number | undefined;
      /** Cost in a UTC month, in units of the price table's currency. */
      readonly cost_per_month?: number | undefined;
    };
    /** The share of a budget, above 0 and at most 1, at which `budget.warned` is written. */
    readonly warn_at: number;
  };
  /** Schedules and webhooks of one engine. */
  readonly max_schedules: number;
  /** Least seconds between two runs of a schedule. */
  readonly min_schedule_interval_s: number;
  /** No run of a schedule or webhook starts. */
  readonly schedules_paused: boolean;
}

/** The price table in effect. */
export interface PricesRecord {
  /** The currency in ISO 4217. */
  readonly currency: string;
  /** Entries of the table. */
  readonly entries: number;
}

/** The current version of a product's catalog. */
export interface ProductCatalogRecord {
  /** The versions count from 1. 0 is the one before the first push, without a file. */
  readonly version: number;
  /** SHA-256 over the files in hex: the same files have the same digest. `null` without a file. */
  readonly digest: string | null;
  /** The size of all files, unpacked. */
  readonly bytes: number;
  /** The version whose files a rollback restored. `null` for a push. */
  readonly restored_from: number | null;
  /** When it was pushed or restored. `null` for version 0. */
  readonly created_at: string | null;
  /** Who did that: a call of the product or of an operator. `null` for version 0. */
  readonly actor: "product" | "admin" | "orchd" | null;
  /** Its files by path. */
  readonly files: readonly CatalogFile[];
}

export interface ProductDeleted {
  /** The product, its engines and their data are gone. */
  readonly deleted: true;
}

/** The documents that all engines of a product search. */
export interface ProductKnowledge {
  /** Rises with each change of the documents. 0 before the first one. */
  readonly version: number;
  /** All of them, by path. */
  readonly documents: readonly KnowledgeDocument[];
  /** How far the vectors of their passages are. `null` without an [embeddings endpoint](knowledge.md#embeddings). */
  readonly embeddings: KnowledgeEmbeddings | null;
}

/** Products by id. */
export interface ProductPage {
  /** The records of this page. */
  readonly data: readonly ProductRecord[];
  /** The `cursor` of the next page. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** A product: the owner of engines, with its key and its policy. */
export interface ProductRecord {
  /** The product's id. */
  readonly id: string;
  /** Its unique name, which calls accept instead of the id. */
  readonly slug: string;
  /** Its name for people. */
  readonly name: string | null;
  /** Its policy, with the default of each field that was never set. */
  readonly policy: Policy;
  /** The names set in the policy's `engine_env`. */
  readonly engine_env_names: readonly string[];
  /** The values of `engine_env` that hold no secret. The others are never shown. */
  readonly engine_env_values: Readonly<Record<string, string>>;
  /** The parts of the platform key that identify it. */
  readonly platform_key: {
    /** The key's first characters. `null` if its hash was set without them. */
    readonly prefix: string | null;
    /** The key's last characters. `null` if its hash was set without them. */
    readonly last4: string | null;
    /** When the key, or its hash, was set. */
    readonly created_at: string;
  };
  /** Only while the product is being deleted: it gets no more engines, and this cannot be undone. */
  readonly deletion?: {
    /** When the deletion was called for first. */
    readonly started_at: string;
    /** Engines that still exist. */
    readonly engines_left: number;
  } | undefined;
  /** When it was registered. */
  readonly created_at: string;
  /** When its policy was last changed. */
  readonly updated_at: string;
}

/** A product that was registered, with its key. */
export interface ProductWithKey {
  /** The product's id. */
  readonly id: string;
  /** Its unique name, which calls accept instead of the id. */
  readonly slug: string;
  /** Its name for people. */
  readonly name: string | null;
  /** Its policy, with the default of each field that was never set. */
  readonly policy: Policy;
  /** The names set in the policy's `engine_env`. */
  readonly engine_env_names: readonly string[];
  /** The values of `engine_env` that hold no secret. The others are never shown. */
  readonly engine_env_values: Readonly<Record<string, string>>;
  /** The parts of the platform key that identify it. */
  readonly platform_key: {
    /** The key's first characters. `null` if its hash was set without them. */
    readonly prefix: string | null;
    /** The key's last characters. `null` if its hash was set without them. */
    readonly last4: string | null;
    /** When the key, or its hash, was set. */
    readonly created_at: string;
  };
  /** Only while the product is being deleted: it gets no more engines, and this cannot be undone. */
  readonly deletion?: {
    /** When the deletion was called for first. */
    readonly started_at: string;
    /** Engines that still exist. */
    readonly engines_left: number;
  } | undefined;
  /** When it was registered. */
  readonly created_at: string;
  /** When its policy was last changed. */
  readonly updated_at: string;
  /** The platform key, returned once. `null` if the call brought the hash of a key, and in a repeated response. */
  readonly platform_api_key: string | null;
}

/** The profile page: what the user has said of themselves, in short. */
export interface Profile {
  /** The lines in the order of the page. */
  readonly lines: readonly ProfileLine[];
  /** Bytes of the lines' texts. */
  readonly bytes: number;
  /** Most bytes that they take. */
  readonly max_bytes: number;
}

/** A line of the profile page. */
export interface ProfileLine {
  /** The line's id. */
  readonly id: string;
  /** The section of the page. */
  readonly section: "about" | "people" | "work" | "preferences" | "plans";
  /** What the line says. */
  readonly text: string;
  /** `learned`: a learning batch wrote it. `person`: a person has corrected it, and no batch changes it. */
  readonly origin: "learned" | "person";
  /** The ids of the rounds that it derives from. */
  readonly sources: readonly string[];
  /** When the line was written first. */
  readonly created_at: string;
  /** When its text was written. */
  readonly updated_at: string;
}

/** A line that a person has deleted. */
export interface ProfileLineDeleted {
  /** The line's id. */
  readonly id: string;
  /** Always `true`. */
  readonly deleted: true;
}

export interface ProvisionEngineRequest {
  /** The product's id of the user. */
  readonly user_id: string;
  /** Any JSON object of at most 16 KiB. It is stored, and shown in the engine's record. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The name of one of the product's [plans](plans.md). An engine that exists keeps its plan. */
  readonly plan?: string | undefined;
  /** `false` only creates the engine. Left out, it starts. */
  readonly start?: boolean | undefined;
}

/** A question that was answered. */
export interface QuestionAnswered {
  /** The question's id. */
  readonly request_id: string;
  /** The question has this answer, and its turn goes on. */
  readonly status: "resolved";
}

/** Open questions to people, the oldest first. */
export interface QuestionPage {
  /** The records of this page. */
  readonly data: readonly QuestionRecord[];
  /** The `cursor` of the next page. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** An open question of a turn to a person. */
export interface QuestionRecord {
  /** Its id. */
  readonly request_id: string;
  /** What is asked, as in `GET /hitl/pending`. */
  readonly kind: "question" | "permission" | "login";
  /** The text of the question. */
  readonly question: string;
  /** What the engine says of it, such as what is to be allowed, and `allow_free_text`: whether an answer may be other text than an option. */
  readonly context: Readonly<Record<string, unknown>>;
  /** The answers to choose from. */
  readonly options: readonly string[];
  /** Whether something of it was left out because it is long. `GET /hitl/pending` of the engine has the whole. */
  readonly is_shortened: boolean;
  /** The task of the turn that waits. */
  readonly task_id: string;
  /** The turn that waits. */
  readonly turn_id: string;
  /** The title of the task. */
  readonly title: string;
  /** The beginning of the message that the turn answers. */
  readonly message: string;
  /** When the turn asked. */
  readonly created_at: string;
  /** The engine that asks. */
  readonly engine_id: string;
  /** Its product. */
  readonly product_id: string;
  /** Its user. */
  readonly user_id: string;
  /** The engine's state. An answer wakes one that is `sleeping`. */
  readonly engine_state: EngineState;
}

export interface RegisterProductRequest {
  /** A unique name, which calls accept instead of the id. */
  readonly slug: string;
  /** A name for people. */
  readonly name?: string | undefined;
  /** Fields of the policy. The others have their defaults. */
  readonly policy?: SetPolicyRequest | undefined;
  /** The SHA-256 of a key that the caller has made, as 64 lower-case hex digits. Without it the daemon makes one. */
  readonly api_key_hash?: string | undefined;
  /** The key's first characters, which identify it to people. */
  readonly key_prefix?: string | undefined;
  /** The key's last characters. */
  readonly key_last4?: string | undefined;
}

/** A file or folder that was removed. */
export interface RemovedFile {
  /** The path in the workspace. */
  readonly path: string;
}

/** A message that was removed before a turn took it. */
export interface RemovedMessage {
  /** The caller's id of the message, or one that the engine gave it. */
  readonly message_id: string;
}

export interface ReplayDeliveriesRequest {
  /** One delivery, whatever became of it. All dead ones when omitted. */
  readonly delivery_id?: string | undefined;
}

/** Stored events after a cursor. */
export interface ReplayPage {
  /** The events, the oldest first. Adjacent deltas may be merged into one, and a page may hold fewer than `limit`. */
  readonly events: readonly EngineEvent[];
  /** The `after` of the next call: the `ts` of the last event, or the given `after`. `null` when there is neither. */
  readonly next_after: string | null;
  /** Whether events after the cursor are no longer kept. */
  readonly truncated: boolean;
  /** The `ts` of the oldest stored event. `null` without one. */
  readonly oldest_ts: string | null;
}

/** A request that was answered. */
export interface Resolved {
  /** The request's id. */
  readonly request_id: string;
  /** The request has this answer. */
  readonly status: "resolved";
}

export interface RespondRequest {
  /** The id of the question or permission prompt. */
  readonly request_id: string;
  /** One of its `options`. Other text, of 1 to 100,000 characters, only if its `context.allow_free_text` is `true`. */
  readonly answer: string;
}

export interface RespondToolRequest {
  /** The `tool_call_id` of the call. */
  readonly tool_call_id: string;
  /** The result, any JSON. It matches the tool's `output_schema`, if it has one. Either this or `error`. */
  readonly output?: string | number | boolean | null | readonly unknown[] | Readonly<Record<string, unknown>> | undefined;
  /** Why the tool failed, for the model. */
  readonly error?: string | undefined;
}

export interface RestartEngineRequest {
  /** How many seconds running turns get to end. Left out: the policy's `drain_s`. */
  readonly drain_s?: number | undefined;
}

/** The files that calls changed after the message. */
export interface RestoredFiles {
  /** At most 1,000 of them: their earlier state is known. */
  readonly restorable: readonly ({
    /** The path in the workspace. */
    readonly path: string;
    /** What a restore does. `remove_folder` leaves a folder that is not empty. */
    readonly action: "write" | "remove" | "make_folder" | "remove_folder";
  })[];
  /** At most 1,000 of them: their earlier state is not known, so they stay as they are. */
  readonly not_captured: readonly ({
    /** The path in the workspace. */
    readonly path: string;
    /** Why it is not known. */
    readonly reason: "by_command" | "too_large" | "unreadable" | "disk_full" | "switched_off" | "removed_from_store" | "not_a_file";
  })[];
  /** At most 1,000 of them: something else has changed them too, so only `force` restores them. */
  readonly changed_by_others: readonly ({
    /** The path in the workspace. */
    readonly path: string;
    /** What a restore does. `remove_folder` leaves a folder that is not empty. */
    readonly action: "write" | "remove" | "make_folder" | "remove_folder";
  })[];
  /** At most 1,000 of them: calls that may have changed other files. */
  readonly not_compared: readonly ({
    /** `null`: of changes that were forgotten. */
    readonly turn_id: string | null;
    /** `null`: of changes that were forgotten. */
    readonly tool_call_id: string | null;
    /** Why its changes are not known. */
    readonly reason: "running" | "interrupted" | "too_large" | "too_many" | "unreadable" | "forgotten";
  })[];
  /** At most 1,000 of them: files that could not be restored. The same call tries them again. */
  readonly failed: readonly {
    /** The path in the workspace. */
    readonly path: string;
    /** Why it was not restored. */
    readonly reason: string;
  }[];
  /** How many each list would have without its limit. */
  readonly counts: {
    /** Of `restorable`. */
    readonly restorable: number;
    /** Of `not_captured`. */
    readonly not_captured: number;
    /** Of `changed_by_others`. */
    readonly changed_by_others: number;
    /** Of `not_compared`. */
    readonly not_compared: number;
    /** Of `failed`. */
    readonly failed: number;
  };
}

/** Where a conversation goes on. */
export interface RewindRequest {
  /** The message that becomes the last one. */
  readonly to_message: string;
  /** `false`: the conversation goes on before `to_message`, which leaves it too. `true` when omitted. */
  readonly keep?: boolean | undefined;
  /** `restore` gives the files of the workspace their state at that message. `keep` when omitted. */
  readonly files?: "keep" | "restore" | undefined;
  /** `true` changes nothing. `false` when omitted. */
  readonly dry_run?: boolean | undefined;
  /** `true` also restores files that something else has changed since. `false` when omitted. */
  readonly force?: boolean | undefined;
}

/** What a rewind did, or with `dry_run` would do. */
export interface Rewound {
  /** The task. */
  readonly task_id: string;
  /** Whether nothing was changed. */
  readonly dry_run: boolean;
  /** The message that the conversation ends with. `null`: it is empty. */
  readonly last_message: string | null;
  /** The branch with the messages that left the conversation, which stay readable. `null`: no message left it. */
  readonly left_branch: string | null;
  /** `null` with `files: keep`. */
  readonly files: RestoredFiles | null;
}

export interface RollbackCatalogRequest {
  /** The version whose files become current again. 0 is the catalog without a file. */
  readonly version: number;
}

export interface RotateEndpointSecretRequest {
  /** Seconds in which messages are signed with both secrets. 0 when omitted. */
  readonly grace_s?: number | undefined;
}

export interface RotateEngineKeyRequest {
  /** How many seconds the old key is accepted too. Left out, it ends at once. */
  readonly grace_s?: number | undefined;
}

export interface RotateIdentityKeyRequest {
  /** Whether the new key signs at once and the others are withdrawn, because one may have leaked. `false` when omitted. */
  readonly at_once?: boolean | undefined;
}

export interface RotateMasterRequest {
  /** `next` of the call before. From the beginning when omitted. */
  readonly after?: string | undefined;
}

export interface RotateToolHookSecretRequest {
  /** The new secret. Made when omitted. */
  readonly secret?: string | undefined;
  /** Seconds in which calls are signed with both secrets. 0 when omitted. */
  readonly grace_s?: number | undefined;
}

export interface RotateWebhookSecretRequest {
  /** How many seconds the old secret is accepted too. Left out, it ends at once. */
  readonly grace_s?: number | undefined;
}

/** Runs, the newest first. */
export interface RunPage {
  /** The records of this page. */
  readonly data: readonly RunRecord[];
  /** The `cursor` of the next page. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** One run of a schedule or a webhook: one turn. */
export interface RunRecord {
  /** The run's id. */
  readonly id: string;
  /** The schedule's id. `null` for a run of a webhook. */
  readonly schedule_id: string | null;
  /** The webhook's id. `null` for a run of a schedule. */
  readonly webhook_id: string | null;
  /** When it was due. For a webhook: when its message was received. */
  readonly due_at: string;
  /** `waiting`: due, its turn has not started. `running` and `waiting_for_human`: its turn has. `done` and `failed`: as the turn ended. `missed`: not started in time. `refused`: could not start. */
  readonly state: RunState;
  /** The conversation of its turn. */
  readonly task_id: string | null;
  /** The id of its turn. `null` before it has started. */
  readonly turn_id: string | null;
  /** Why it failed, was missed or was refused; while it waits, what for. */
  readonly error: string | null;
  /** When it was stored. */
  readonly created_at: string;
  /** When its turn started. `null` before that. */
  readonly started_at: string | null;
  /** When it reached a final state. `null` before that. */
  readonly ended_at: string | null;
}

/** `waiting`: due, its turn has not started. `running` and `waiting_for_human`: its turn has. `done` and `failed`: as the turn ended. `missed`: not started in time. `refused`: could not start. */
export type RunState = "waiting" | "running" | "waiting_for_human" | "done" | "failed" | "missed" | "refused";

export interface ScheduleDeleted {
  /** The schedule and its runs are gone. */
  readonly deleted: true;
}

/** Schedules by id. */
export interface SchedulePage {
  /** The records of this page. */
  readonly data: readonly ScheduleRecord[];
  /** The `cursor` of the next page. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** A schedule: a message to an engine at its times. */
export interface ScheduleRecord {
  /** The schedule's id. */
  readonly id: string;
  /** The product's id of the user. */
  readonly user_id: string;
  /** The engine's id. */
  readonly engine_id: string;
  /** Its name, unique among the schedules of an engine. */
  readonly name: string;
  /** `false` while it is paused. */
  readonly enabled: boolean;
  /** When it runs. */
  readonly timing: ScheduleTiming;
  /** What the engine gets. */
  readonly message: string;
  /** The conversation of every run. `null`: each run has a conversation of its own. */
  readonly task_id: string | null;
  /** The agent that answers. `null`: the default one. */
  readonly agent: string | null;
  /** The model that answers. `null`: the agent's. */
  readonly model: string | null;
  /** How much the model reasons. `null`: as the agent says. */
  readonly effort: "low" | "medium" | "high" | null;
  /** What happens to due times at which nothing could run. `skip`: no run. `run_once`: one run for all of them. `run_all`: one run for each of the newest, up to `missed_limit`. */
  readonly missed: MissedPolicy;
  /** With `run_all`: the most missed runs that are caught up. */
  readonly missed_limit: number;
  /** Each run is later by a part of so many seconds. The part follows from the schedule's id. */
  readonly spread_s: number;
  /** No run is due from then on. `null` is no end. */
  readonly ends_at: string | null;
  /** When it is due next. `null` while it is paused, and after its last run. */
  readonly next_due_at: string | null;
  /** The next due times, at most five. */
  readonly next_runs: readonly string[];
  /** Its newest run. `null` before the first. */
  readonly last_run: RunRecord | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it was last changed. */
  readonly updated_at: string;
}

/** When it runs. */
export type ScheduleTiming = {
  /** Once. */
  readonly kind: "at";
  /** The time. */
  readonly at: string;
} | {
  /** By a cron expression in a time zone. */
  readonly kind: "cron";
  /** Five fields, or six with seconds first, or a name such as `@daily`. */
  readonly cron: string;
  /** A time zone of the IANA database. */
  readonly time_zone: string;
} | {
  /** Every so many seconds from an anchor. */
  readonly kind: "every";
  /** The seconds between two runs. */
  readonly every_s: number;
  /** The time from which they are counted. */
  readonly anchor_at: string;
};

export interface SearchDocumentsRequest {
  /** What to find, as a user would ask it. */
  readonly query: string;
  /** The largest number of results. */
  readonly limit?: number | undefined;
}

export interface SearchMemoryRequest {
  /** 1 byte to 10 kB of text. No character is query syntax. */
  readonly query: string;
  /** How many results at most. 10 when omitted. */
  readonly limit?: number | undefined;
  /** Only results of these kinds. All when omitted. */
  readonly kinds?: readonly ("episode" | "fact" | "note")[] | undefined;
  /** Only results with this relevance verdict. */
  readonly bearing?: "answers" | "touches" | undefined;
  /** Searches the memory as of this time. */
  readonly as_of?: string | undefined;
  /** Only what happened at this time or later. */
  readonly from?: string | undefined;
  /** Only what happened before this time. A date includes its day. */
  readonly to?: string | undefined;
}

export interface SecretDeleted {
  /** It is gone. */
  readonly deleted: true;
}

/** A secret of a product or a user, without its value. */
export interface SecretRecord {
  /** Its name. */
  readonly name: string;
  /** The hosts that it is sent to, and no others: names such as `api.example.com`, `*.example.com` or `host:8443`. */
  readonly hosts: readonly string[];
  /** Where it goes in a request: a `header`, a parameter of the `query`, the password of `basic` authentication, or the `body`. */
  readonly place: "header" | "query" | "basic" | "body";
  /** The header or parameter. `null` where there is none. */
  readonly header: string | null;
  /** What stands before it, or the user of `basic`. `null`: nothing. */
  readonly prefix: string | null;
  /** Where the daemon reads it. `null`: it is stored. */
  readonly from: string | null;
  /** The first 8 hex digits of the SHA-256 of the value. `null` of one that is not stored. */
  readonly hash_prefix: string | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it was last set. */
  readonly updated_at: string;
  /** When a request of an engine last carried it, to the minute. `null` before. */
  readonly last_used_at: string | null;
}

/** The secrets of a product or a user. */
export interface Secrets {
  /** All of them, by name. */
  readonly secrets: readonly SecretRecord[];
}

/** What became of a message that may wait. */
export interface SentMessage {
  /** The caller's id of the message, or one that the engine gave it. */
  readonly message_id: string;
  /** Its place among the messages that wait, from 1. 0: a turn has taken it. */
  readonly position: number;
  /** The turn that has taken it. `null` while it waits. */
  readonly turn_id: string | null;
}

/** A tool server, without its settings. */
export interface ServerAsset {
  /** The name in `.mcp.json`. */
  readonly name: string;
  /** How the engine reaches it. */
  readonly transport: "stdio" | "http" | "sse";
  /** `idle`: its tools are known, and it is connected at the first call. `held`: it is connected, but some tools changed since they were first seen and must be allowed. `needs_login`: the user has not signed in. */
  readonly status: "idle" | "connecting" | "ready" | "held" | "needs_login" | "restarting" | "failed";
  /** Its tools. */
  readonly tools: readonly ServerToolAsset[];
  /** The version of MCP that is spoken. */
  readonly protocol_version?: string | undefined;
  /** Why it is not ready, or which tools are left out. */
  readonly error?: string | undefined;
  /** Seconds until a failed server is retried. 0 during the retry. */
  readonly next_try_in_s?: number | undefined;
  /** The last lines of standard error of a stdio server that is not ready, without the values of its `env`. */
  readonly stderr?: readonly string[] | undefined;
}

/** The tool servers of the catalog. */
export interface Servers {
  /** The tool servers. Those with invalid settings come last. */
  readonly servers: readonly ServerAsset[];
  /** Problems of `.mcp.json`. Omitted without one. */
  readonly errors?: readonly CatalogRemark[] | undefined;
}

/** A tool of a tool server. */
export interface ServerToolAsset {
  /** The name that the model uses. */
  readonly name: string;
  /** The server's name of the tool. */
  readonly tool: string;
  /** What the server says about the tool. */
  readonly description: string;
  /** Whether the server declares the tool read-only. */
  readonly read_only: boolean;
  /** The hash of this definition, needed to allow it. */
  readonly definition: string;
  /** What the catalog says: `allow` calls it, `ask` asks the user first. */
  readonly permission: "allow" | "ask" | "deny";
  /** `held`: its definition changed since it was first seen, and must be allowed. `denied`: by the catalog. `left_out`: it cannot be offered to the model. */
  readonly status: "offered" | "held" | "denied" | "left_out";
  /** Why it is held or left out. */
  readonly reason?: string | undefined;
  /** How the model is shown the tool: loaded by tool search, or with another definition than the server's. */
  readonly note?: string | undefined;
  /** The definitions of a held tool. */
  readonly held?: {
    /** The current definition. */
    readonly now: ShownDefinition;
    /** The definition that was first seen, or last allowed. */
    readonly was: ShownDefinition;
  } | undefined;
}

export interface SessionEnded {
  /** The session is over, and its streams end within 5 s. */
  readonly ended: true;
}

/** A link that opens one session. */
export interface SessionLink {
  /** The link's token, which signs in once. */
  readonly link: string;
  /** The URL of the console with the link; only a path without `ORCH_PUBLIC_URL`. */
  readonly url: string;
  /** What it may do: see [roles](console.md#roles). */
  readonly role: SessionRole;
  /** Until when it can be used. */
  readonly expires_at: string;
}

/** Open sessions by id. */
export interface SessionPage {
  /** The records of this page. */
  readonly data: readonly SessionRecord[];
  /** The `cursor` of the next page. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** A person as the identity provider knows them. */
export interface SessionPerson {
  /** The provider's id of the person, which never changes. */
  readonly subject: string;
  /** The name. */
  readonly name: string | null;
  /** The email address. */
  readonly email: string | null;
}

/** A person who is signed in to the console. */
export interface SessionRecord {
  /** The session's id. */
  readonly id: string;
  /** What it may do: see [roles](console.md#roles). */
  readonly role: SessionRole;
  /** How it was opened. */
  readonly opened_by: "admin_key" | "link" | "oidc";
  /** Who signed in by OpenID Connect. `null` for the admin key and links. */
  readonly person: SessionPerson | null;
  /** When the person signed in. */
  readonly created_at: string;
  /** The time of its last call, to the minute. */
  readonly last_used_at: string;
  /** When it ends at the latest. */
  readonly expires_at: string;
  /** When it ends without another call. */
  readonly idle_expires_at: string;
  /** Whether it is the session of this call. */
  readonly is_current: boolean;
}

/** What its session may do. Default: `admin`. */
export type SessionRole = "viewer" | "operator" | "admin";

export interface SetEnginePolicyRequest {
  /** What is set for this engine alone, before its plan. It replaces what was set before: `{}` leaves all to the plan and the product's policy. */
  readonly policy: {
    /** Calls per minute that one user's tokens may make. */
    readonly user_requests_per_minute?: number | null | undefined;
    /** Turns that may run for a user before tokens may start another. */
    readonly user_concurrent_turns?: number | null | undefined;
    /** What happens to a message whose task has a turn, unless the call says it: `reject`, `queue` or `steer`. */
    readonly when_busy?: "reject" | "queue" | "steer" | undefined;
    /** Seconds without work after which an engine sleeps. 0 is never. */
    readonly idle_stop_s?: number | undefined;
    /** Days without activity after which a task is deleted with its messages. A sleeping engine does it after its next wake. */
    readonly task_ttl_days?: number | null | undefined;
    /** Memory of an engine. Three quarters of it are for the JavaScript heap, and tools together may use three quarters. */
    readonly memory_mb?: number | undefined;
    /** Processes and threads of all tools of an engine. The engine has 64 of its own. */
    readonly max_processes?: number | undefined;
    /** Size of an engine's folder, which holds workspace, store and caches. */
    readonly disk_mb?: number | undefined;
    /** Size of the file contents that are kept for rewinds, at most a quarter of `disk_mb`. The oldest are removed first. 0 keeps none. */
    readonly checkpoint_mb?: number | undefined;
    /** An engine's share of a busy CPU, as `cpu.weight` of cgroup v2. */
    readonly cpu_weight?: number | undefined;
    /** The models that calls and agents of the catalog may name: `model` or `provider:model`, with `*` at the end for all that begin so. The models of the settings and of `fallback` are allowed without it. */
    readonly allowed_models?: readonly string[] | null | undefined;
    /** The models that answer instead of one that fails, in order. An agent of the catalog may have its own list. */
    readonly fallback?: readonly string[] | undefined;
    /** The agents of the catalog that calls may name and agents may delegate to, with `*` at the end for all that begin so. The default agent is allowed without it. */
    readonly allowed_agents?: readonly string[] | null | undefined;
    /** The tools that agents have, built in, of the catalog and of tool servers, with `*` at the end for all that begin so. */
    readonly allowed_tools?: readonly string[] | null | undefined;
    /** What tools may connect to: `open` (the public internet), `none`, or a list of hosts and networks. */
    readonly tool_network?: "open" | "none" | readonly string[] | undefined;
    /** Size of all attachments of one message, or of one tool result. 0 allows none. */
    readonly attachment_mb?: number | undefined;
    /** Attachments of one message, or of one tool result. */
    readonly attachment_count?: number | undefined;
    /** Kinds of files that may be attached, decided by their bytes. */
    readonly attachment_kinds?: readonly ("image" | "pdf" | "audio" | "text" | "other")[] | undefined;
    /** What each engine may spend. A limit left out is no limit. What all engines spend together is the product's policy. */
    readonly budgets?: {
      /** What each engine may spend. A limit left out is no limit. */
      readonly engine?: {
        /** Tokens in a UTC day. */
        readonly tokens_per_day?: number | undefined;
        /** Tokens in a UTC month. */
        readonly tokens_per_month?: number | undefined;
        /** Cost in a UTC day, in units of the price table's currency. */
        readonly cost_per_day?: number | undefined;
        /** Cost in a UTC month, in units of the price table's currency. */
        readonly cost_per_month?: number | undefined;
      } | undefined;
      /** The share of a budget, above 0 and at most 1, at which `budget.warned` is written. */
      readonly warn_at?: number | undefined;
    } | undefined;
    /** Schedules and webhooks of one engine. */
    readonly max_schedules?: number | undefined;
    /** Least seconds between two runs of a schedule. */
    readonly min_schedule_interval_s?: number | undefined;
  };
}

export interface SetPlanRequest {
  /** What the plan sets. It replaces what the plan set before; a field left out is decided by the product's policy. `null` is a value: no limit. */
  readonly policy: {
    /** Calls per minute that one user's tokens may make. */
    readonly user_requests_per_minute?: number | null | undefined;
    /** Turns that may run for a user before tokens may start another. */
    readonly user_concurrent_turns?: number | null | undefined;
    /** What happens to a message whose task has a turn, unless the call says it: `reject`, `queue` or `steer`. */
    readonly when_busy?: "reject" | "queue" | "steer" | undefined;
    /** Seconds without work after which an engine sleeps. 0 is never. */
    readonly idle_stop_s?: number | undefined;
    /** Days without activity after which a task is deleted with its messages. A sleeping engine does it after its next wake. */
    readonly task_ttl_days?: number | null | undefined;
    /** Memory of an engine. Three quarters of it are for the JavaScript heap, and tools together may use three quarters. */
    readonly memory_mb?: number | undefined;
    /** Processes and threads of all tools of an engine. The engine has 64 of its own. */
    readonly max_processes?: number | undefined;
    /** Size of an engine's folder, which holds workspace, store and caches. */
    readonly disk_mb?: number | undefined;
    /** Size of the file contents that are kept for rewinds, at most a quarter of `disk_mb`. The oldest are removed first. 0 keeps none. */
    readonly checkpoint_mb?: number | undefined;
    /** An engine's share of a busy CPU, as `cpu.weight` of cgroup v2. */
    readonly cpu_weight?: number | undefined;
    /** The models that calls and agents of the catalog may name: `model` or `provider:model`, with `*` at the end for all that begin so. The models of the settings and of `fallback` are allowed without it. */
    readonly allowed_models?: readonly string[] | null | undefined;
    /** The models that answer instead of one that fails, in order. An agent of the catalog may have its own list. */
    readonly fallback?: readonly string[] | undefined;
    /** The agents of the catalog that calls may name and agents may delegate to, with `*` at the end for all that begin so. The default agent is allowed without it. */
    readonly allowed_agents?: readonly string[] | null | undefined;
    /** The tools that agents have, built in, of the catalog and of tool servers, with `*` at the end for all that begin so. */
    readonly allowed_tools?: readonly string[] | null | undefined;
    /** What tools may connect to: `open` (the public internet), `none`, or a list of hosts and networks. */
    readonly tool_network?: "open" | "none" | readonly string[] | undefined;
    /** Size of all attachments of one message, or of one tool result. 0 allows none. */
    readonly attachment_mb?: number | undefined;
    /** Attachments of one message, or of one tool result. */
    readonly attachment_count?: number | undefined;
    /** Kinds of files that may be attached, decided by their bytes. */
    readonly attachment_kinds?: readonly ("image" | "pdf" | "audio" | "text" | "other")[] | undefined;
    /** What each engine may spend. A limit left out is no limit. What all engines spend together is the product's policy. */
    readonly budgets?: {
      /** What each engine may spend. A limit left out is no limit. */
      readonly engine?: {
        /** Tokens in a UTC day. */
        readonly tokens_per_day?: number | undefined;
        /** Tokens in a UTC month. */
        readonly tokens_per_month?: number | undefined;
        /** Cost in a UTC day, in units of the price table's currency. */
        readonly cost_per_day?: number | undefined;
        /** Cost in a UTC month, in units of the price table's currency. */
        readonly cost_per_month?: number | undefined;
      } | undefined;
      /** The share of a budget, above 0 and at most 1, at which `budget.warned` is written. */
      readonly warn_at?: number | undefined;
    } | undefined;
    /** Schedules and webhooks of one engine. */
    readonly max_schedules?: number | undefined;
    /** Least seconds between two runs of a schedule. */
    readonly min_schedule_interval_s?: number | undefined;
  };
}

export interface SetPlatformKeyHashRequest {
  /** The SHA-256 of the new key, as 64 lower-case hex digits. */
  readonly api_key_hash: string;
  /** The key's first characters, which identify it to people. */
  readonly key_prefix?: string | undefined;
  /** The key's last characters. */
  readonly key_last4?: string | undefined;
  /** How many seconds the old key is accepted too. Left out, it ends at once. */
  readonly grace_s?: number | undefined;
}

export interface SetPolicyRequest {
  /** Engines that are not destroyed. */
  readonly max_engines?: number | null | undefined;
  /** Calls per minute; a large one counts more than once. */
  readonly requests_per_minute?: number | null | undefined;
  /** Actions that the product's backend may call for. */
  readonly allowed_actions?: readonly ("provision" | "start" | "stop" | "rotate_key" | "destroy" | "auto_provision")[] | undefined;
  /** Hosts and networks off the public internet that the daemon may call for the product, also without TLS. Public hosts need `https` and no entry. */
  readonly private_hosts?: readonly string[] | undefined;
  /** Origins of pages that may call `/me` with a token of their user, such as `https://app.example.com`. */
  readonly allowed_origins?: readonly string[] | undefined;
  /** The product's own identity provider, whose tokens `/me` takes. */
  readonly end_users?: {
    /** The exact `iss` of its tokens. */
    readonly issuer: string;
    /** The `aud` that its tokens have for orchd. */
    readonly audience: string;
    /** Where it publishes its keys (JWKS). Either this or `public_keys`. */
    readonly jwks_url?: string | undefined;
    /** Its keys as JSON Web Keys, 1 to 16 public ones. Either these or `jwks_url`. */
    readonly public_keys?: readonly Readonly<Record<string, unknown>>[] | undefined;
    /** The claim that is the `user_id`. `sub` when omitted. */
    readonly user_claim?: string | undefined;
    /** The signatures that are accepted. */
    readonly algorithms?: readonly ("RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512" | "EdDSA")[] | undefined;
    /** Seconds by which its clock may differ. 30 when omitted. */
    readonly clock_skew_s?: number | undefined;
    /** What its tokens [permit](browser.md#scopes), separated by spaces. */
    readonly scope?: string | undefined;
  } | null | undefined;
  /** Calls per minute that one user's tokens may make. */
  readonly user_requests_per_minute?: number | null | undefined;
  /** Turns that may run for a user before tokens may start another. */
  readonly user_concurrent_turns?: number | null | undefined;
  /** Refuses every action of the product, and every turn of its engines. */
  readonly suspended?: boolean | undefined;
  /** What a suspension does to running turns: `drain` lets them end, `now` cancels them. */
  readonly suspend?: "drain" | "now" | undefined;
  /** What happens to a message whose task has a turn, unless the call says it: `reject`, `queue` or `steer`. */
  readonly when_busy?: "reject" | "queue" | "steer" | undefined;
  /** Seconds without work after which an engine sleeps. 0 is never. */
  readonly idle_stop_s?: number | undefined;
  /** Seconds that a stop waits for running turns. */
  readonly drain_s?: number | undefined;
  /** Days without activity after which a task is deleted with its messages. A sleeping engine does it after its next wake. */
  readonly task_ttl_days?: number | null | undefined;
  /** Memory of an engine. Three quarters of it are for the JavaScript heap, and tools together may use three quarters. */
  readonly memory_mb?: number | undefined;
  /** Processes and threads of all tools of an engine. The engine has 64 of its own. */
  readonly max_processes?: number | undefined;
  /** Size of an engine's folder, which holds workspace, store and caches. */
  readonly disk_mb?: number | undefined;
  /** Size of the file contents that are kept for rewinds, at most a quarter of `disk_mb`. The oldest are removed first. 0 keeps none. */
  readonly checkpoint_mb?: number | undefined;
  /** An engine's share of a busy CPU, as `cpu.weight` of cgroup v2. */
  readonly cpu_weight?: number | undefined;
  /** The models that calls and agents of the catalog may name: `model` or `provider:model`, with `*` at the end for all that begin so. The models of the settings and of `fallback` are allowed without it. */
  readonly allowed_models?: readonly string[] | null | undefined;
  /** The models that answer instead of one that fails, in order. An agent of the catalog may have its own list. */
  readonly fallback?: readonly string[] | undefined;
  /** The agents of the catalog that calls may name and agents may delegate to, with `*` at the end for all that begin so. The default agent is allowed without it. */
  readonly allowed_agents?: readonly string[] | null | undefined;
  /** The tools that agents have, built in, of the catalog and of tool servers, with `*` at the end for all that begin so. */
  readonly allowed_tools?: readonly string[] | null | undefined;
  /** What tools may connect to: `open` (the public internet), `none`, or a list of hosts and networks. */
  readonly tool_network?: "open" | "none" | readonly string[] | undefined;
  /** TCP ports on loopback that tools may listen on and connect to. */
  readonly tool_listen?: readonly number[] | undefined;
  /** Whether encrypted requests of tools to hosts of secrets end in the broker, which puts values in the place of placeholders. */
  readonly intercept?: boolean | undefined;
  /** The product's own address that decides about calls of tools before they run. */
  readonly tool_hook?: {
    /** Where calls are sent: an `https` address of the public internet, or a host of `private_hosts`. */
    readonly url: string;
    /** The tools whose calls are sent: names, or prefixes that end in `*`. 1 to 64. */
    readonly tools: readonly string[];
    /** Milliseconds that it may take to answer, 100 to 5000. 2000 when omitted. */
    readonly timeout_ms?: number | undefined;
    /** What becomes of a call without a decision: `deny`, or `ask` a person. `deny` when omitted. */
    readonly on_error?: "deny" | "ask" | undefined;
  } | null | undefined;
  /** Size of all attachments of one message, or of one tool result. 0 allows none. */
  readonly attachment_mb?: number | undefined;
  /** Attachments of one message, or of one tool result. */
  readonly attachment_count?: number | undefined;
  /** Kinds of files that may be attached, decided by their bytes. */
  readonly attachment_kinds?: readonly ("image" | "pdf" | "audio" | "text" | "other")[] | undefined;
  /** What each engine and all together may spend in a UTC day and month. */
  readonly budgets?: {
    /** What each engine may spend. A limit left out is no limit. */
    readonly engine?: {
      /** Tokens in a UTC day. */
      readonly tokens_per_day?: number | undefined;
      /** Tokens in a UTC month. */
      readonly tokens_per_month?: number | undefined;
      /** Cost in a UTC day, in units of the price table's currency. */
      readonly cost_per_day?: number | undefined;
      /** Cost in a UTC month, in units of the price table's currency. */
      readonly cost_per_month?: number | undefined;
    } | undefined;
    /** What all engines of the product may spend together. A limit left out is no limit. */
    readonly product?: {
      /** Tokens in a UTC day. */
      readonly tokens_per_day?: number | undefined;
      /** Tokens in a UTC month. */
      readonly tokens_per_month?: number | undefined;
      /** Cost in a UTC day, in units of the price table's currency. */
      readonly cost_per_day?: number | undefined;
      /** Cost in a UTC month, in units of the price table's currency. */
      readonly cost_per_month?: number | undefined;
    } | undefined;
    /** The share of a budget, above 0 and at most 1, at which `budget.warned` is written. */
    readonly warn_at?: number | undefined;
  } | undefined;
  /** Schedules and webhooks of one engine. */
  readonly max_schedules?: number | undefined;
  /** Least seconds between two runs of a schedule. */
  readonly min_schedule_interval_s?: number | undefined;
  /** No run of a schedule or webhook starts. */
  readonly schedules_paused?: boolean | undefined;
  /** Settings for this product's engines. `null` removes one. */
  readonly engine_env?: Readonly<Record<string, string | null>> | undefined;
}

export interface SetProductSecretRequest {
  /** The value. No call returns it. Either this or `from`. */
  readonly value?: string | undefined;
  /** Where the daemon reads it instead: `env:NAME`, `file:NAME` or `command:KEY`. */
  readonly from?: string | undefined;
  /** The hosts that it is sent to, and no others: names such as `api.example.com`, `*.example.com` or `host:8443`. */
  readonly hosts: readonly string[];
  /** Where it goes in a request: a `header`, a parameter of the `query`, the password of `basic` authentication, or the `body`. */
  readonly place?: "header" | "query" | "basic" | "body" | undefined;
  /** The header, or with `query` the parameter. `Authorization` or `token` when omitted. */
  readonly header?: string | undefined;
  /** What stands before it in the header; with `basic` the user. `Bearer ` for `Authorization`, with `basic` `token`, else nothing. */
  readonly prefix?: string | undefined;
}

export interface SetUserSecretRequest {
  /** The value. No call returns it. */
  readonly value: string;
  /** The hosts that it is sent to, and no others: names such as `api.example.com`, `*.example.com` or `host:8443`. */
  readonly hosts: readonly string[];
  /** Where it goes in a request: a `header`, a parameter of the `query`, the password of `basic` authentication, or the `body`. */
  readonly place?: "header" | "query" | "basic" | "body" | undefined;
  /** The header, or with `query` the parameter. `Authorization` or `token` when omitted. */
  readonly header?: string | undefined;
  /** What stands before it in the header; with `basic` the user. `Bearer ` for `Authorization`, with `basic` `token`, else nothing. */
  readonly prefix?: string | undefined;
}

/** The current definition. */
export interface ShownDefinition {
  /** What the server says about the tool. */
  readonly description: string;
  /** Whether the server declares the tool read-only. */
  readonly read_only: boolean;
  /** The JSON schema of the tool's input. */
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** The hash of this definition, needed to allow it. */
  readonly definition: string;
}

/** A turn, with its result. */
export interface ShownTurn {
  /** The turn's id. */
  readonly turn_id: string;
  /** The task, which is the conversation. */
  readonly task_id: string;
  /** `waiting_for_human`: a question, a permission prompt or a call of a client's tool is open. */
  readonly state: "running" | "waiting_for_human" | "completed" | "errored";
  /** The error code of a turn that `errored`. */
  readonly error: string | null;
  /** The agent of the catalog that ran it. */
  readonly agent: string;
  /** The text of the user's message, cut after 500 characters. */
  readonly message: string;
  /** When it began. */
  readonly started_at: string;
  /** When it ended. `null` before that. */
  readonly ended_at: string | null;
  /** Only of a completed turn with an output schema: its result. */
  readonly output?: Readonly<Record<string, unknown>> | undefined;
}

/** The session is over, and its streams end within 5 s. */
export interface SignedOut {
  /** The session is over. */
  readonly ended: true;
  /** Where the browser signs out of the identity provider too. `null` where there is nothing to do. */
  readonly provider_url: string | null;
}

/** How people sign in to the console. */
export interface SignInOptions {
  /** `null` without [an identity provider](console.md#sign-in-with-an-identity-provider). */
  readonly oidc: SignInProvider | null;
}

/** The identity provider. */
export interface SignInProvider {
  /** Its issuer. */
  readonly issuer: string;
  /** Where a browser begins to sign in. */
  readonly url: string;
}

export interface SignInRequest {
  /** The operator's key. Either this or `link` is required. */
  readonly admin_key?: string | undefined;
  /** The token of a one-time link. It has its own role. */
  readonly link?: string | undefined;
  /** What it may do: see [roles](console.md#roles). Only with `admin_key`. Default: `admin`. */
  readonly role?: SessionRole | undefined;
}

/** A skill draft that was decided. */
export interface SkillDecided {
  /** The draft's id. */
  readonly id: string;
  /** The name of the skill, and of its folder in the catalog. */
  readonly name: string;
  /** The decision. */
  readonly state: "allowed" | "refused";
  /** The reload of the catalog. `null` for a refused skill, and for one that had been decided before. */
  readonly catalog: {
    /** Whether the catalog has loaded the skill. */
    readonly reloaded: boolean;
    /** Why it has not. Empty when it has. */
    readonly errors: readonly CatalogRemark[];
  } | null;
}

/** A skill that learning drafted from successful turns. No agent uses it before a person allows it. */
export interface SkillDraftRecord {
  /** The draft's id. */
  readonly id: string;
  /** The name of the skill, and of its folder in the catalog. */
  readonly name: string;
  /** The content of the file `SKILL.md`. */
  readonly body: string;
  /** `proposed`: nobody has decided yet. */
  readonly state: "proposed" | "allowed" | "refused";
  /** The least trusted source that it derives from. */
  readonly trust: TrustLabel;
  /** The ids of the trajectories that it derives from. */
  readonly trajectories: readonly string[];
  /** When it was drafted. */
  readonly created_at: string;
  /** When it was decided. `null` before that. */
  readonly decided_at: string | null;
}

/** The skill drafts, at most 200. */
export interface SkillDrafts {
  /** The newest first. */
  readonly skills: readonly SkillDraftRecord[];
}

/** A relation between two people or things. */
export interface SocialEdgeRecord {
  /** The relation's id. */
  readonly id: string;
  /** The id of a person or thing. */
  readonly from: string;
  /** The id of a person or thing. */
  readonly to: string;
  /** What `to` is to `from`. */
  readonly relation: string;
  /** The least trusted source that it derives from. */
  readonly trust: TrustLabel;
  /** Since when it is true. `null` when no time was given. */
  readonly valid_from: string | null;
  /** Until when it was true. `null` for a relation that is true now. */
  readonly valid_to: string | null;
}

/** A person or thing, with its relations to others. */
export interface SocialNodeRecord {
  /** The id of a person or thing. */
  readonly id: string;
  /** The name by which it is mentioned. */
  readonly name: string;
  /** Such as `person`, `organisation`, `place`, `animal` or `thing`. */
  readonly type: string;
  /** Other names of it. */
  readonly aliases: readonly string[];
  /** What it is to the user. */
  readonly summary: string;
  /** The least trusted source that it derives from. */
  readonly trust: TrustLabel;
  /** How many rounds mention it. */
  readonly mention_count: number;
  /** When it was first mentioned. */
  readonly first_seen: string;
  /** When it was last mentioned. */
  readonly last_seen: string;
  /** Its relations that the engine believes now. */
  readonly edges: readonly SocialEdgeRecord[];
}

/** Records of the memory, the newest first. */
export interface SocialPage {
  /** The records of this page. */
  readonly items: readonly SocialNodeRecord[];
  /** The `cursor` of the next page of the same list. `null` on the last one. */
  readonly next_cursor: string | null;
}

export interface StopEngineRequest {
  /** How many seconds running turns get to end. Left out: the policy's `drain_s`. */
  readonly drain_s?: number | undefined;
  /** `true` waits for no turn. */
  readonly force?: boolean | undefined;
}

/** A file that was written. */
export interface StoredFile {
  /** The path in the workspace. */
  readonly path: string;
  /** The size. */
  readonly bytes: number;
  /** SHA-256 of the content. In quotes, it is the `ETag`. */
  readonly digest: string;
  /** Whether there was no file before. */
  readonly created: boolean;
}

/** A file that the agent [published](files.md#artifacts). */
export interface TaskArtifactPart {
  /** The version's id. */
  readonly artifact_id: string;
  /** The task. */
  readonly task_id: string;
  /** The turn that published it. */
  readonly turn_id: string;
  /** The path in the workspace. */
  readonly path: string;
  /** What the agent calls it. */
  readonly title: string;
  /** Counts what the task has published under this path, from 1. */
  readonly version: number;
  /** The size. */
  readonly bytes: number;
  /** SHA-256 of the content. In quotes, it is the `ETag`. */
  readonly digest: string;
  /** The type, by the name of the file. */
  readonly media_type: string;
  /** When it was published. */
  readonly created_at: string;
  /** The kind of part. It comes after the call of `publish_file`. */
  readonly type: "artifact";
}

/** A file that the user attached. */
export interface TaskAttachmentPart {
  /** Detected by its bytes. `text`: UTF-8 text, SVG included. `other`: the model gets only a note. */
  readonly kind: AttachmentKind;
  /** The original name without path, control characters and markup. */
  readonly name: string;
  /** The type of the bytes. */
  readonly media_type: string;
  /** The type that the sender declared, if the bytes have another one. */
  readonly claimed_media_type?: string | undefined;
  /** The size of the file. */
  readonly bytes: number;
  /** SHA-256 of the bytes in lower-case hex. */
  readonly digest: string;
  /** Its path in the engine's workspace. */
  readonly path: string;
  /** Of an image: pixels. */
  readonly width?: number | undefined;
  /** Of an image: pixels. */
  readonly height?: number | undefined;
  /** The kind of part. */
  readonly type: "attachment";
}

/** A branch that a task's conversation is on, or was on before a rewind. */
export interface TaskBranch {
  /** The branch's id. */
  readonly branch_id: string;
  /** Whether the conversation is on it. */
  readonly is_current: boolean;
  /** The last message that it shares with an earlier branch. `null`: none. */
  readonly after_message: string | null;
  /** Its first own message. `null` without one. */
  readonly first_message: string | null;
  /** When it began. */
  readonly created_at: string;
}

/** Context that went with the message, for audits. The user did not write it. */
export interface TaskContextPart {
  /** The kind of part. */
  readonly type: "context";
  /** What it is. */
  readonly name: string;
  /** Its text. */
  readonly content: string;
  /** How long it was valid. */
  readonly ttl: "turn" | "task";
}

/** Replaces the defaults of its messages. `{}` removes them. */
export interface TaskDefaults {
  /** An agent of the catalog. `default` when omitted. */
  readonly agent?: string | undefined;
  /** The [model](conversations.md#which-model-answers) of the turn: `model`, or `provider:model` for another provider. The agent's when omitted. */
  readonly model?: string | undefined;
  /** How much the model reasons, if it has this option. */
  readonly effort?: "low" | "medium" | "high" | undefined;
  /** [Tools that the client runs](conversations.md#tools-that-the-client-runs), up to 64 in 256 KiB. */
  readonly client_tools?: readonly ({
    /** The tool's name. It is no built-in tool and no tool of the catalog. */
    readonly name: string;
    /** What the tool does and when to use it. The model reads it. */
    readonly description: string;
    /** JSON Schema of the arguments, an object. */
    readonly input_schema: Readonly<Record<string, unknown>>;
    /** JSON Schema of the output. An answer that does not match is refused, and the call stays open. */
    readonly output_schema?: Readonly<Record<string, unknown>> | undefined;
  })[] | undefined;
}

/** A task that was deleted, and what went with it. */
export interface TaskDeleted {
  /** The task's id. A turn with it begins a new task. */
  readonly task_id: string;
  /** What was deleted, by kind. */
  readonly deleted: Readonly<Record<string, number>>;
  /** Messages that stay, because a fork of the task refers to them. */
  readonly kept_messages: number;
  /** With `forget=true`, what memory had learned from this task alone, by kind. `null` without. */
  readonly forgotten: Readonly<Record<string, number>> | null;
}

/** Why a turn failed. */
export interface TaskErrorPart {
  /** The kind of part. */
  readonly type: "error";
  /** The error code, by which programs decide. */
  readonly error: string;
}

/** An event of the stream of `GET /tasks`. */
export type TaskEvent = {
  /** The `event:` line. */
  readonly event: "task";
  /** The `data:` line. */
  readonly data: TaskRecord;
} | {
  /** The `event:` line. */
  readonly event: "task_removed";
  /** The `data:` line. */
  readonly data: TaskRemoved;
} | {
  /** The `event:` line. */
  readonly event: "heartbeat";
  /** The `data:` line. */
  readonly data: TaskHeartbeat;
};

/** The `data:` line. */
export interface TaskHeartbeat {
  /** The engine's time. */
  readonly now: string;
}

/** What the user or the agent said. All answers of a turn up to the next message of the user are one message, with the results of their calls. */
export interface TaskMessage {
  /** The message's id, which stays the same: `msg_` and a number that rises. */
  readonly message_id: string;
  /** Who said it. */
  readonly role: "user" | "assistant";
  /** The turn it belongs to. */
  readonly turn_id: string;
  /** When it was stored; of an answer, its first part. */
  readonly created_at: string;
  /** What it consists of, in order. */
  readonly parts: readonly TaskMessagePart[];
  /** Tokens of the turn, with its last message. `null` for others, and before the turn has ended. */
  readonly usage: {
    /** Tokens of the input, with those read from the provider's cache. */
    readonly input_tokens: number;
    /** Tokens of the output, with those of reasoning. */
    readonly output_tokens: number;
    /** Tokens of the input that the provider read from its cache. */
    readonly cache_hit_tokens: number;
  } | null;
  /** Only of a completed turn with an output schema: its result. */
  readonly output?: Readonly<Record<string, unknown>> | undefined;
  /** The state of the turn, with its last message. `completed` for those before it. */
  readonly status: "running" | "waiting_for_human" | "completed" | "errored";
}

/** A part of a message, by its `type`. */
export type TaskMessagePart = TaskTextPart | TaskReasoningPart | TaskToolPart | TaskArtifactPart | TaskAttachmentPart | TaskContextPart | TaskQuestionPart | TaskErrorPart;

/** Messages of a conversation, in their order. */
export interface TaskMessages {
  /** The messages of this page, the oldest first. */
  readonly items: readonly TaskMessage[];
  /** The `before` of the page with older messages. `null`: there are none. */
  readonly before: string | null;
  /** The `after` of the page with newer messages. `null`: there are none. */
  readonly after: string | null;
}

/** Tasks, the latest activity first. */
export interface TaskPage {
  /** The tasks of this page. */
  readonly items: readonly TaskRecord[];
  /** The `cursor` of the next page. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** Where a task was forked from. */
export interface TaskParent {
  /** The task it was forked from. It may be deleted since. */
  readonly task_id: string;
  /** The last message that both have. `null`: none. */
  readonly after_message: string | null;
}

/** A question or a permission prompt to a person. */
export interface TaskQuestionPart {
  /** The kind of part. */
  readonly type: "question";
  /** The request's id, which `POST /hitl/respond` takes. */
  readonly request_id: string;
  /** `question`: of the agent. `permission`: a permission prompt. `login`: the user is to sign in to a tool server. */
  readonly kind: HitlKind;
  /** The text of the question. */
  readonly question: string;
  /** The answers to choose from. */
  readonly options: readonly string[];
  /** `closed`: it was cancelled or has expired, and nobody answered. */
  readonly status: "open" | "answered" | "closed";
  /** The answer. `null` without one. */
  readonly answer: string | null;
}

/** Reasoning of the model. */
export interface TaskReasoningPart {
  /** The kind of part. */
  readonly type: "reasoning";
  /** The text of the reasoning. */
  readonly text: string;
}

/** A task, which is a conversation. */
export interface TaskRecord {
  /** The task's id, which its first turn named. */
  readonly task_id: string;
  /** What it is about. */
  readonly title: string;
  /** `first_words`: of its first message. `model`: a light model wrote it. `user`: a call of `PATCH` set it. */
  readonly title_source: TaskTitleSource;
  /** The agent that ran its last turn. */
  readonly agent: string;
  /** When its first turn began. */
  readonly created_at: string;
  /** When its last turn began or ended. */
  readonly last_active_at: string;
  /** Messages of its conversation, as `GET /tasks/{task_id}/messages` lists them. */
  readonly message_count: number;
  /** `running`: a turn runs. `waiting`: its turn waits for a person or for a tool of the client. `queued`: messages wait, and no turn runs. */
  readonly state: TaskState;
  /** Open questions and permission prompts. */
  readonly open_requests: number;
  /** Tokens of all its turns that have ended. */
  readonly usage: {
    /** Tokens of the input, with those read from the provider's cache. */
    readonly input_tokens: number;
    /** Tokens of the output, with those of reasoning. */
    readonly output_tokens: number;
    /** Tokens of the input that the provider read from its cache. */
    readonly cache_hit_tokens: number;
  };
  /** Whether lists leave it out. */
  readonly archived: boolean;
  /** Strings of the product's own, by their keys. */
  readonly metadata: Readonly<Record<string, string>>;
  /** `null` for a task that is no fork. */
  readonly parent: TaskParent | null;
  /** Only with `defaults=true`: what messages have that do not say it themselves. */
  readonly defaults?: TaskDefaults | undefined;
  /** Only with `branches=true`: what rewinds left, and the branch that the conversation is on. */
  readonly branches?: readonly TaskBranch[] | undefined;
}

/** The `data:` line. */
export interface TaskRemoved {
  /** The task's id. */
  readonly task_id: string;
}

/** `running`: a turn runs. `waiting`: its turn waits for a person or for a tool of the client. `queued`: messages wait, and no turn runs. */
export type TaskState = "idle" | "running" | "waiting" | "queued";

/** Text of the user or of the agent. */
export interface TaskTextPart {
  /** The kind of part. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
}

/** `first_words`: of its first message. `model`: a light model wrote it. `user`: a call of `PATCH` set it. */
export type TaskTitleSource = "first_words" | "model" | "user";

/** A call of a tool, with its result once it has one. */
export interface TaskToolPart {
  /** The kind of part. */
  readonly type: "tool";
  /** The call's id. */
  readonly tool_call_id: string;
  /** The tool's name. */
  readonly tool: string;
  /** The input of the call. */
  readonly input: Readonly<Record<string, unknown>>;
  /** `running`: it has no result yet. */
  readonly status: "running" | "completed" | "failed";
  /** What the tool returned. `null` before, and for a call that failed. */
  readonly output: unknown;
  /** Why the call failed. `null` otherwise. */
  readonly error: string | null;
  /** Files of the result. Omitted without one. */
  readonly attachments?: readonly AttachmentRecord[] | undefined;
  /** What the product's [hook](catalog.md#hook-of-the-product) decided. Omitted when it was not asked, or allowed the call. */
  readonly hook?: {
    /** `change`: the call ran with its `input`. */
    readonly verdict: "deny" | "ask" | "change";
    /** Why the product denied it. `null` without one. */
    readonly reason: string | null;
    /** Of `change`: the input that the call ran with. `null` otherwise. */
    readonly input: Readonly<Record<string, unknown>> | null;
    /** Why the product did not decide; the verdict is then the policy's. */
    readonly error: string | null;
  } | undefined;
}

/** A text of a message. */
export interface TextPart {
  /** Marks a text. */
  readonly type: "text";
  /** Not only white space. The texts of all parts together have at most 1 MiB. */
  readonly text: string;
}

/** A call that was answered. */
export interface ToolAnswered {
  /** The call's id. */
  readonly tool_call_id: string;
  /** The call has this answer. */
  readonly status: "answered";
}

export interface ToolHookSecret {
  /** The secret that signs calls, returned once. */
  readonly secret: string;
}

/** Changed tools that were allowed. */
export interface ToolsAllowed {
  /** Always `true`. */
  readonly allowed: true;
}

/** Records of the memory, the newest first. */
export interface TrajectoryPage {
  /** The records of this page. */
  readonly items: readonly TrajectoryRecord[];
  /** The `cursor` of the next page of the same list. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** How a turn went: its tool calls and its outcome. */
export interface TrajectoryRecord {
  /** The trajectory's id. */
  readonly id: string;
  /** The conversation, which is the task. */
  readonly thread_id: string;
  /** The task, which is the conversation. */
  readonly task_id: string;
  /** When the turn ended. */
  readonly created_at: string;
  /** The turn. */
  readonly turn_id: string;
  /** How the turn ended. */
  readonly outcome: "completed" | "errored";
  /** The error code of a turn that `errored`. */
  readonly error_code: string | null;
  /** Its tool calls, in their order. */
  readonly steps: readonly TrajectoryStep[];
  /** Tokens of all model calls of the turn. */
  readonly usage: {
    /** Tokens of the input, with those read from the provider's cache. */
    readonly input_tokens: number;
    /** Tokens of the output, with those of reasoning. */
    readonly output_tokens: number;
    /** Tokens of the input that the provider read from its cache. */
    readonly cache_hit_tokens: number;
  };
  /** Milliseconds from the turn's start to its end. */
  readonly duration_ms: number;
  /** The least trusted source that it derives from. */
  readonly trust: TrustLabel;
  /** The learning batch that has read it. `null` before that. */
  readonly batch_id: string | null;
}

/** One tool call of a turn. */
export interface TrajectoryStep {
  /** The tool's name. */
  readonly tool: string;
  /** The input as JSON. A long one is cut. */
  readonly input: string;
  /** The output. A long one is cut. */
  readonly output: string;
  /** Whether the call succeeded. */
  readonly ok: boolean;
  /** The sub-agent that made the call. Omitted for the turn's own agent. */
  readonly thread?: string | undefined;
}

/** The rule of `settings.yaml` that decides a call. */
export interface TriedRule {
  /** What the rule says. */
  readonly permission: "allow" | "ask" | "deny";
  /** The file of the rule. */
  readonly path: string;
  /** Its line in the file. */
  readonly line: number;
  /** The reason that it gives. `null` without one. */
  readonly reason: string | null;
}

/** The least trusted source that it derives from. */
export type TrustLabel = "external" | "model" | "internal" | "user";

/** Turns, the newest first. */
export interface TurnPage {
  /** The turns of this page. */
  readonly items: readonly TurnRecord[];
  /** The `cursor` of the next page. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** `errored`: the event `error` follows. */
export type TurnPhase = "started" | "completed" | "errored";

/** A turn: one message of the user and the work on it. */
export interface TurnRecord {
  /** The turn's id. */
  readonly turn_id: string;
  /** The task, which is the conversation. */
  readonly task_id: string;
  /** `waiting_for_human`: a question, a permission prompt or a call of a client's tool is open. */
  readonly state: "running" | "waiting_for_human" | "completed" | "errored";
  /** The error code of a turn that `errored`. */
  readonly error: string | null;
  /** The agent of the catalog that ran it. */
  readonly agent: string;
  /** The text of the user's message, cut after 500 characters. */
  readonly message: string;
  /** When it began. */
  readonly started_at: string;
  /** When it ended. `null` before that. */
  readonly ended_at: string | null;
}

/** Usage by group. */
export interface UsagePage {
  /** The records of this page. */
  readonly data: readonly UsageRecord[];
  /** The `cursor` of the next page. `null` on the last one. */
  readonly next_cursor: string | null;
  /** The currency of the price table. `null` without one. */
  readonly currency: string | null;
  /** The first UTC day. */
  readonly since: string;
  /** The last UTC day, included. */
  readonly until: string;
}

/** What was used by one group. The fields of what it is not grouped by are left out. */
export interface UsageRecord {
  /** The product's id. */
  readonly product_id?: string | undefined;
  /** The [plan](plans.md) that the user's engine has now, not the one of that day. Empty: none, or no engine. */
  readonly plan?: string | undefined;
  /** The product's id of the user. */
  readonly user_id?: string | undefined;
  /** A UTC day. */
  readonly day?: string | undefined;
  /** The provider of the model. */
  readonly provider?: string | undefined;
  /** The model's id at its provider. */
  readonly model?: string | undefined;
  /** Calls that reached the provider and reported their tokens, including retries and learning. */
  readonly model_calls: number;
  /** Calls that ended without the provider's count of tokens. Their tokens are estimated. */
  readonly estimated_calls: number;
  /** Including those read from and written to the provider's cache. */
  readonly input_tokens: number;
  /** Tokens that models wrote. */
  readonly output_tokens: number;
  /** Input tokens that were read from the provider's cache. */
  readonly cache_read_tokens: number;
  /** Input tokens that were written to the provider's cache. */
  readonly cache_write_tokens: number;
  /** Turns that ended. `null` when grouped by model. */
  readonly turns: number | null;
  /** Turns that ended with an error. `null` when grouped by model. */
  readonly failed_turns: number | null;
  /** Calls of tools. `null` when grouped by model. */
  readonly tool_calls: number | null;
  /** Milliseconds from begin to end of the turns, waits for a person included. `null` when grouped by model. */
  readonly turn_ms: number | null;
  /** Cost in millionths of the currency. `null` when the price of any of the tokens is unknown. */
  readonly cost_micros: number | null;
  /** Tokens of models without a price. */
  readonly unpriced_tokens: number;
}

/** What an engine used with its tools in the last hour. */
export interface UsageSamples {
  /** Seconds between two samples. */
  readonly interval_s: number;
  /** The time of the first sample. */
  readonly from: string;
  /** The values of each measure, the oldest first. One is `null` where nothing was measured. */
  readonly samples: {
    /** Per cent of one core, on average. */
    readonly cpu_percent: readonly (number | null)[];
    /** MiB of memory at the end of the interval. */
    readonly memory_mb: readonly (number | null)[];
    /** MiB of the engine's folder at the end of the interval. */
    readonly disk_mb: readonly (number | null)[];
    /** Turns that ran or waited for a person at the end of the interval. */
    readonly active_turns: readonly (number | null)[];
    /** Turns that ended in the interval. */
    readonly turns: readonly (number | null)[];
    /** Turns of them that ended with an error. */
    readonly failed_turns: readonly (number | null)[];
    /** Input and output tokens of the models in the interval. */
    readonly tokens: readonly (number | null)[];
  };
}

/** A token with which the user's own browser or app calls the user's engine. */
export interface UserToken {
  /** The token's id, as the audit log has it. */
  readonly id: string;
  /** The token, shown only now. It is sent as `Authorization: Bearer <token>`. */
  readonly token: string;
  /** What it permits, separated by spaces. */
  readonly scope: string;
  /** When it ends. */
  readonly expires_at: string;
  /** The daemon's address for browsers, from `ORCH_PUBLIC_URL`. `null` when it is not set. */
  readonly url: string | null;
}

/** The end of all tokens of a user. */
export interface UserTokensRevoked {
  /** How often the user's tokens have been revoked. */
  readonly epoch: number;
}

/** A message that waits in a task's inbox. */
export interface WaitingMessage {
  /** The caller's id of the message, or one that the engine gave it. */
  readonly message_id: string;
  /** Its place among the messages that wait, from 1. */
  readonly position: number;
  /** Whether it waits for a turn of its own or for the running one. */
  readonly when_busy: "queue" | "steer";
  /** What the user wrote, without attachments. */
  readonly text: string;
  /** The files of the message. Omitted without one. */
  readonly attachments?: readonly AttachmentRecord[] | undefined;
  /** The agent that answers if the message starts a turn. */
  readonly agent: string;
  /** When it was sent. */
  readonly created_at: string;
}

/** The answer to a webhook's message. */
export interface WebhookAccepted {
  /** The run is stored and starts its turn. */
  readonly accepted: true;
  /** The id of its run. */
  readonly run_id: string;
}

export interface WebhookDeleted {
  /** The webhook and its runs are gone. */
  readonly deleted: true;
}

/** Webhooks by id. */
export interface WebhookPage {
  /** The records of this page. */
  readonly data: readonly WebhookRecord[];
  /** The `cursor` of the next page. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** A webhook: an address for signed messages, each of which starts a turn. */
export interface WebhookRecord {
  /** The webhook's id. */
  readonly id: string;
  /** The product's id of the user. */
  readonly user_id: string;
  /** The engine's id. */
  readonly engine_id: string;
  /** Its name, unique among the webhooks of an engine. */
  readonly name: string;
  /** `false` while it refuses messages. */
  readonly enabled: boolean;
  /** The path of its address on the orchestrator. */
  readonly path: string;
  /** The message of the turn. `{{payload}}` is what was sent. */
  readonly template: string;
  /** The conversation of every run. `null`: each run has a conversation of its own. */
  readonly task_id: string | null;
  /** The agent that answers. `null`: the default one. */
  readonly agent: string | null;
  /** The model that answers. `null`: the agent's. */
  readonly model: string | null;
  /** How much the model reasons. `null`: as the agent says. */
  readonly effort: "low" | "medium" | "high" | null;
  /** Messages beyond it get 429 with `Retry-After`. */
  readonly requests_per_minute: number;
  /** Its newest run. `null` before the first. */
  readonly last_run: RunRecord | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it was last changed. */
  readonly updated_at: string;
}

/** A webhook with its secret. */
export interface WebhookWithSecret {
  /** The webhook's id. */
  readonly id: string;
  /** The product's id of the user. */
  readonly user_id: string;
  /** The engine's id. */
  readonly engine_id: string;
  /** Its name, unique among the webhooks of an engine. */
  readonly name: string;
  /** `false` while it refuses messages. */
  readonly enabled: boolean;
  /** The path of its address on the orchestrator. */
  readonly path: string;
  /** The message of the turn. `{{payload}}` is what was sent. */
  readonly template: string;
  /** The conversation of every run. `null`: each run has a conversation of its own. */
  readonly task_id: string | null;
  /** The agent that answers. `null`: the default one. */
  readonly agent: string | null;
  /** The model that answers. `null`: the agent's. */
  readonly model: string | null;
  /** How much the model reasons. `null`: as the agent says. */
  readonly effort: "low" | "medium" | "high" | null;
  /** Messages beyond it get 429 with `Retry-After`. */
  readonly requests_per_minute: number;
  /** Its newest run. `null` before the first. */
  readonly last_run: RunRecord | null;
  /** When it was created. */
  readonly created_at: string;
  /** When it was last changed. */
  readonly updated_at: string;
  /** The secret that signs messages, returned once. `null` in a repeated response. */
  readonly secret: string | null;
}

/** What the agent wrote it as. */
export type WorkingMemoryEntryType = "note" | "observation" | "summary";

/** Records of the memory, the newest first. */
export interface WorkingMemoryPage {
  /** The records of this page. */
  readonly items: readonly WorkingMemoryRecord[];
  /** The `cursor` of the next page of the same list. `null` on the last one. */
  readonly next_cursor: string | null;
}

/** A note that the agent wrote down. */
export interface WorkingMemoryRecord {
  /** The note's id. */
  readonly id: string;
  /** The task, which is the conversation. */
  readonly task_id: string;
  /** The turn. */
  readonly turn_id: string;
  /** What the agent wrote it as. */
  readonly entry_type: WorkingMemoryEntryType;
  /** The text of the note. */
  readonly content: string;
  /** When it was written. */
  readonly created_at: string;
}
