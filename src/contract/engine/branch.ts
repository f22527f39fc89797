import * as z from "zod/mini";
import { RESTORE_ACTIONS, RESTORE_LISTED, UNCOMPARED, UNRESTORABLE } from "./restore-outcomes.ts";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";
import { taskId } from "./requests.ts";

const MESSAGE_ID = "expected a message_id as the task's messages have, such as msg_12";
const placedMessageId = z.string(MESSAGE_ID).check(z.regex(/^msg_[1-9]\d{0,14}$/, MESSAGE_ID));

export const forkRequest = record("ForkRequest", "Where a new task begins.", {
  after_message: field(
    z.optional(placedMessageId),
    "The last message that the new task has. The last one of the conversation when omitted, without those of a turn in flight.",
    "msg_12",
  ),
  task_id: field(z.optional(taskId), "The id of the new task: 1 to 256 bytes. A new one when omitted.", "t2"),
});

export const rewindRequest = record("RewindRequest", "Where a conversation goes on.", {
  to_message: field(placedMessageId, "The message that becomes the last one.", "msg_12"),
  keep: field(
    z.optional(z.boolean()),
    "`false`: the conversation goes on before `to_message`, which leaves it too. `true` when omitted.",
  ),
  files: field(
    z.optional(z.enum(["keep", "restore"])),
    "`restore` gives the files of the workspace their state at that message. `keep` when omitted.",
    "restore",
  ),
  dry_run: field(z.optional(z.boolean()), "`true` changes nothing. `false` when omitted."),
  force: field(
    z.optional(z.boolean()),
    "`true` also restores files that something else has changed since. `false` when omitted.",
  ),
});

const listed = `At most ${RESTORE_LISTED.toLocaleString("en")} of them`;
const path = field(text, "The path in the workspace.", "notes/a.md");
const change = z.object({
  path,
  action: field(
    z.enum(RESTORE_ACTIONS),
    "What a restore does. `remove_folder` leaves a folder that is not empty.",
    "write",
  ),
});

export const restoredFiles = record("RestoredFiles", "The files that calls changed after the message.", {
  restorable: field(z.array(change), `${listed}: their earlier state is known.`),
  not_captured: field(
    z.array(z.object({ path, reason: field(z.enum(UNRESTORABLE), "Why it is not known.", "by_command") })),
    `${listed}: their earlier state is not known, so they stay as they are.`,
  ),
  changed_by_others: field(
    z.array(change),
    `${listed}: something else has changed them too, so only \`force\` restores them.`,
  ),
  not_compared: field(
    z.array(
      z.object({
        turn_id: nullable(text, "`null`: of changes that were forgotten.", "turn_01jd3v9q2c"),
        tool_call_id: nullable(text, "`null`: of changes that were forgotten.", "call_1"),
        reason: field(z.enum(UNCOMPARED), "Why its changes are not known.", "too_large"),
      }),
    ),
    `${listed}: calls that may have changed other files.`,
  ),
  failed: field(
    z.array(z.object({ path, reason: field(text, "Why it was not restored.", "it changed meanwhile") })),
    `${listed}: files that could not be restored. The same call tries them again.`,
  ),
  counts: field(
    z.object({
      restorable: field(count, "Of `restorable`."),
      not_captured: field(count, "Of `not_captured`."),
      changed_by_others: field(count, "Of `changed_by_others`."),
      not_compared: field(count, "Of `not_compared`."),
      failed: field(count, "Of `failed`."),
    }),
    "How many each list would have without its limit.",
  ),
});
export type RestoredFiles = RecordOf<typeof restoredFiles>;

export const rewound = record("Rewound", "What a rewind did, or with `dry_run` would do.", {
  task_id: field(text, "The task.", "t1"),
  dry_run: field(z.boolean(), "Whether nothing was changed.", false),
  last_message: nullable(text, "The message that the conversation ends with. `null`: it is empty.", "msg_12"),
  left_branch: nullable(
    text,
    "The branch with the messages that left the conversation, which stay readable. `null`: no message left it.",
    "branch_3",
  ),
  files: nullable(restoredFiles, "`null` with `files: keep`."),
});
export type Rewound = RecordOf<typeof rewound>;

export const forkedTask = record("ForkedTask", "A task that begins with messages of another one.", {
  task_id: field(text, "The id of the new task.", "t2"),
  parent: field(
    z.object({
      task_id: field(text, "The task that it was forked from.", "t1"),
      after_message: nullable(text, "The last message that both have. `null`: none.", "msg_12"),
    }),
    "Where it was forked.",
  ),
  message_count: field(count, "Messages of its conversation.", 12),
});
export type ForkedTask = RecordOf<typeof forkedTask>;

export const taskBranch = record(
  "TaskBranch",
  "A branch that a task's conversation is on, or was on before a rewind.",
  {
    branch_id: field(text, "The branch's id.", "branch_3"),
    is_current: field(z.boolean(), "Whether the conversation is on it.", true),
    after_message: nullable(text, "The last message that it shares with an earlier branch. `null`: none.", "msg_12"),
    first_message: nullable(text, "Its first own message. `null` without one.", "msg_13"),
    created_at: field(time, "When it began."),
  },
);
export type TaskBranch = RecordOf<typeof taskBranch>;

/** The bodies of forks and rewinds. */
export const BRANCH_RESPONSES = {
  ForkedTask: forkedTask,
  Rewound: rewound,
} as const satisfies Record<string, z.ZodMiniType>;
