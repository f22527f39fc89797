import type { Request, RequestHandler } from "express";
import type { InboxList, WaitingMessage } from "../../contract/engine/inbox.ts";
import { DEFAULT_AGENT, editMessageRequest, inboxPath } from "../../contract/engine/requests.ts";
import { isoTime } from "../../shared/clock.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import { parse } from "../../shared/parse.ts";
import { type UserContent, filesOf, writtenText } from "../attachments/user-content.ts";
import type { Inbox, WaitingRow } from "../turns/inbox.ts";
import { type MessageStorage, storeMessage } from "./store-message.ts";

export interface InboxRouteParts {
  readonly inbox: Inbox;
  /** Stores the attachments of messages. */
  readonly attachments: MessageStorage;
}

/** The routes of messages that wait. */
export const inboxRoutes = ({ inbox, attachments }: InboxRouteParts) =>
  ({
    listInbox(request, response) {
      const messages = inbox.list(taskOf(request)).map((row, index) => shown(row, index + 1));
      response.json({ messages } satisfies InboxList);
    },
    async editMessage(request, response) {
      const { message, when_busy: whenBusy } = validateBody(editMessageRequest, request.body, response);
      const [taskId, messageId] = [taskOf(request), messageOf(request)];
      // Before files are written, and again afterwards.
      inbox.waiting(taskId, messageId);
      const content = message === undefined ? undefined : await storeMessage(message, attachments);
      inbox.change(taskId, messageId, {
        ...(content !== undefined && { content }),
        ...(whenBusy !== undefined && { whenBusy }),
      });
      const row = inbox.waiting(taskId, messageId);
      response.json(shown(row, inbox.position(taskId, row.id)));
    },
    removeMessage(request, response) {
      const messageId = messageOf(request);
      inbox.remove(taskOf(request), messageId);
      response.json({ message_id: messageId });
    },
  }) satisfies Record<string, RequestHandler>;

const taskOf = ({ params }: Request): string => parse(inboxPath, params).value.task_id;
const messageOf = ({ params }: Request): string => parse(inboxPath, params).value.message_id ?? "";

function shown({ messageId, whenBusy, content, options, createdAt }: WaitingRow, position: number): WaitingMessage {
  const message = content as UserContent;
  const files = filesOf(message);
  return {
    message_id: messageId,
    position,
    when_busy: whenBusy === "steer" ? "steer" : "queue",
    text: writtenText(message),
    ...(files.length > 0 && { attachments: files }),
    agent: String(options["agent"] ?? DEFAULT_AGENT),
    created_at: isoTime(createdAt),
  };
}
