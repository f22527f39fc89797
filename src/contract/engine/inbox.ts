import * as z from "zod/mini";
import { attachmentRecord } from "./attachment.ts";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";

const id = field(text, "The caller's id of the message, or one that the engine gave it.", "m1");

const sentMessage = record("SentMessage", "What became of a message that may wait.", {
  message_id: id,
  position: field(count, "Its place among the messages that wait, from 1. 0: a turn has taken it.", 1),
  turn_id: nullable(text, "The turn that has taken it. `null` while it waits.", null),
});
export type SentMessage = RecordOf<typeof sentMessage>;

export const waitingMessage = record("WaitingMessage", "A message that waits in a task's inbox.", {
  message_id: id,
  position: field(count, "Its place among the messages that wait, from 1.", 1),
  when_busy: field(
    z.enum(["queue", "steer"]),
    "Whether it waits for a turn of its own or for the running one.",
    "queue",
  ),
  text: field(text, "What the user wrote, without attachments.", "And in German?"),
  attachments: z.exactOptional(field(z.array(attachmentRecord), "The files of the message. Omitted without one.")),
  agent: field(text, "The agent that answers if the message starts a turn.", "default"),
  created_at: field(time, "When it was sent."),
});
export type WaitingMessage = RecordOf<typeof waitingMessage>;

const inboxList = record("InboxList", "The messages that wait in a task's inbox.", {
  messages: field(z.array(waitingMessage), "In the order in which they were sent, at most 100."),
});
export type InboxList = RecordOf<typeof inboxList>;

const removedMessage = record("RemovedMessage", "A message that was removed before a turn took it.", {
  message_id: id,
});

/** The bodies of `/tasks/{task_id}/inbox`, and of `POST /execute` for a message that may wait. */
export const INBOX_RESPONSES = {
  SentMessage: sentMessage,
  WaitingMessage: waitingMessage,
  InboxList: inboxList,
  RemovedMessage: removedMessage,
} as const satisfies Record<string, z.ZodMiniType>;
