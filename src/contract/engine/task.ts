import * as z from "zod/mini";
import { characters, wellFormedText } from "../../shared/parse.ts";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";
import { taskBranch } from "./branch.ts";
import { clientTools } from "./client-tool.ts";
import { effort } from "./model-schemas.ts";
import { executeRequest, taskId } from "./requests.ts";
import { taskMessage } from "./task-message.ts";
import { tokenUsage } from "./token-usage.ts";

/** Bounds of a record's own fields. */
export const TASK_TITLE_LENGTH = 200;
export const TASK_METADATA = { keys: 50, key: 64, value: 1000 } as const;

const titleSource = z.enum(["first_words", "model", "user"]).check(z.meta({ title: "TaskTitleSource" }));
const taskState = z.enum(["idle", "running", "waiting", "queued"]).check(z.meta({ title: "TaskState" }));
export type TaskState = z.output<typeof taskState>;

const parent = record("TaskParent", "Where a task was forked from.", {
  task_id: field(text, "The task it was forked from. It may be deleted since.", "t1"),
  after_message: nullable(text, "The last message that both have. `null`: none.", "msg_12"),
});

const { agent, model } = executeRequest.def.shape;
const taskDefaults = record("TaskDefaults", "What messages of a task have that do not say it themselves.", {
  agent,
  model,
  effort: field(z.optional(effort), "How much the model reasons, if it has this option.", "low"),
  client_tools: field(
    z.optional(clientTools),
    "[Tools that the client runs](conversations.md#tools-that-the-client-runs), up to 64 in 256 KiB.",
  ),
});
export type TaskDefaults = z.output<typeof taskDefaults>;

export const taskRecord = record("TaskRecord", "A task, which is a conversation.", {
  task_id: field(text, "The task's id, which its first turn named.", "t1"),
  title: field(text, "What it is about.", "Offers of the printers"),
  title_source: field(
    titleSource,
    "`first_words`: of its first message. `model`: a light model wrote it. `user`: a call of `PATCH` set it.",
    "model",
  ),
  agent: field(text, "The agent that ran its last turn.", "default"),
  created_at: field(time, "When its first turn began."),
  last_active_at: field(time, "When its last turn began or ended."),
  message_count: field(count, "Messages of its conversation, as `GET /tasks/{task_id}/messages` lists them.", 12),
  state: field(
    taskState,
    "`running`: a turn runs. `waiting`: its turn waits for a person or for a tool of the client. `queued`: messages wait, and no turn runs.",
    "idle",
  ),
  open_requests: field(count, "Open questions and permission prompts.", 0),
  usage: field(z.object(tokenUsage), "Tokens of all its turns that have ended."),
  archived: field(z.boolean(), "Whether lists leave it out.", false),
  metadata: field(z.record(z.string(), z.string()), "Strings of the product's own, by their keys.", { folder: "work" }),
  parent: nullable(parent, "`null` for a task that is no fork."),
  defaults: z.exactOptional(
    field(taskDefaults, "Only with `defaults=true`: what messages have that do not say it themselves."),
  ),
  branches: z.exactOptional(
    field(
      z.array(taskBranch),
      "Only with `branches=true`: what rewinds left, and the branch that the conversation is on.",
    ),
  ),
});
export type TaskRecord = RecordOf<typeof taskRecord>;

const taskPage = record("TaskPage", "Tasks, the latest activity first.", {
  items: field(z.array(taskRecord), "The tasks of this page."),
  next_cursor: nullable(text, "The `cursor` of the next page. `null` on the last one.", null),
});
export type TaskPage = RecordOf<typeof taskPage>;

const taskMessages = record("TaskMessages", "Messages of a conversation, in their order.", {
  items: field(z.array(taskMessage), "The messages of this page, the oldest first."),
  before: nullable(text, "The `before` of the page with older messages. `null`: there are none.", "msg_12"),
  after: nullable(text, "The `after` of the page with newer messages. `null`: there are none.", null),
});
export type TaskMessages = RecordOf<typeof taskMessages>;

const counts = (meaning: string, example: Readonly<Record<string, number>>) =>
  field(z.record(z.string(), count), meaning, example);

const taskDeleted = record("TaskDeleted", "A task that was deleted, and what went with it.", {
  task_id: field(text, "The task's id. A turn with it begins a new task.", "t1"),
  deleted: counts("What was deleted, by kind.", { messages: 12, turns: 6, requests: 1, attachments: 1 }),
  kept_messages: field(count, "Messages that stay, because a fork of the task refers to them.", 0),
  forgotten: nullable(
    z.record(z.string(), count),
    "With `forget=true`, what memory had learned from this task alone, by kind. `null` without.",
    { episodes: 6, facts: 2, notes: 1 },
  ),
});
export type TaskDeleted = RecordOf<typeof taskDeleted>;

/** What a stream of `GET /tasks` sends: each event with its meaning. */
export const TASK_EVENTS = {
  task: {
    meaning: "A task that the query matches: first those of the first page, then each that is new or has changed.",
    data: taskRecord,
  },
  task_removed: {
    meaning: "A task that was deleted, or that the query does not match any more.",
    data: record("TaskRemoved", "A task that left the list.", { task_id: field(text, "The task's id.", "t1") }),
  },
  heartbeat: {
    meaning:
      "The connection is alive, and everything before it was sent. It comes every 15 s, and after the first page.",
    data: record("TaskHeartbeat", "A sign of life.", { now: field(time, "The engine's time.") }),
  },
} as const;

const frame = <Type extends keyof typeof TASK_EVENTS>(type: Type) =>
  z
    .object({
      event: field(z.literal(type), "The `event:` line."),
      data: field(TASK_EVENTS[type].data, "The `data:` line."),
    })
    .check(z.meta({ description: TASK_EVENTS[type].meaning }));
const taskEvent = z
  .discriminatedUnion("event", [frame("task"), frame("task_removed"), frame("heartbeat")])
  .check(z.meta({ title: "TaskEvent", description: "An event of the stream of `GET /tasks`." }));
export type TaskEvent =
  | { readonly event: "task"; readonly data: TaskRecord }
  | { readonly event: "task_removed"; readonly data: { readonly task_id: string } }
  | { readonly event: "heartbeat"; readonly data: { readonly now: string } };

const METADATA_KEY = `expected 1 to ${TASK_METADATA.key} characters without control characters`;
const metadataKey = z.string().check(
  z.refine((key) => key.length >= 1 && key.length <= TASK_METADATA.key && !/\p{Cc}/u.test(key) && key.isWellFormed(), {
    error: METADATA_KEY,
  }),
);
const metadataValue = wellFormedText().check(z.maxLength(TASK_METADATA.value));

const TITLE = `expected 1 to ${TASK_TITLE_LENGTH} characters, not only white space`;
const title = characters(1, TASK_TITLE_LENGTH).check(
  z.refine((text) => text.trim() !== "" && text.isWellFormed() && !/\p{Cc}/u.test(text), { error: TITLE }),
);
const METADATA_LIMITS = `At most ${TASK_METADATA.keys} keys of ${TASK_METADATA.key} characters, with values of ${TASK_METADATA.value}.`;

export const createTaskRequest = record("CreateTaskRequest", "A task before its first message.", {
  task_id: field(z.optional(taskId), "1 to 256 bytes. A new one when omitted.", "t1"),
  title: field(
    z.optional(title),
    `1 to ${TASK_TITLE_LENGTH} characters. The first words of its first message when omitted.`,
    "Offers of the printers",
  ),
  metadata: field(
    z.optional(z.record(metadataKey, metadataValue)),
    `Strings of the product's own, by their keys. ${METADATA_LIMITS}`,
    { folder: "work" },
  ),
  defaults: field(z.optional(taskDefaults), "What its messages have that do not say it themselves.", {
    agent: "researcher",
  }),
});
export type CreateTaskRequest = z.output<typeof createTaskRequest>;

export const changeTaskRequest = record("ChangeTaskRequest", "Changes of a task. Fields left out stay.", {
  title: field(
    z.optional(title),
    `1 to ${TASK_TITLE_LENGTH} characters. From now on no model changes it.`,
    "Offers of the printers",
  ),
  archived: field(z.optional(z.boolean()), "`true` takes it from lists, `false` puts it back.", true),
  metadata: field(
    z.optional(z.record(metadataKey, z.nullable(metadataValue))),
    `Strings to set, by their keys; \`null\` removes a key. ${METADATA_LIMITS}`,
    { folder: "work" },
  ),
  defaults: field(z.optional(taskDefaults), "Replaces the defaults of its messages. `{}` removes them.", {
    agent: "researcher",
  }),
});
export type ChangeTaskRequest = z.output<typeof changeTaskRequest>;

/** The bodies of the engine's `/tasks` routes. */
export const TASK_RESPONSES = {
  Task: taskRecord,
  TaskPage: taskPage,
  TaskMessages: taskMessages,
  TaskDeleted: taskDeleted,
  TaskEvent: taskEvent,
} as const satisfies Record<string, z.ZodMiniType>;
