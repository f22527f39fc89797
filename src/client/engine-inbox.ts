import { checkedField, newIdempotencyKey } from "./address.ts";
import { type ClientTools, toolDefinitions } from "./client-tools.ts";
import * as routes from "./engine-routes.ts";
import type { CallOptions } from "./http-call.ts";
import type { WaitingMessage } from "./records.ts";
import type { Calls, OptionsOf } from "./route.ts";

/** A message that may wait. Of an own `messageId`: the same message is sent once, however often the call is repeated. */
export interface SendOptions extends Omit<
  OptionsOf<typeof routes.execute>,
  "ids" | "events" | "lastEventId" | "xOrchdEvents" | "idempotencyKey" | "onDisconnect" | "whenBusy" | "clientTools"
> {
  readonly whenBusy: "queue" | "steer";
  /** Tools of the message's own turn. Whoever reads that turn runs them. */
  readonly clientTools?: ClientTools | undefined;
}

/** The calls of messages that wait. */
export const inboxCalls = ({ call }: Calls) => ({
  /** Sends a message without reading its turn, and tells whether it waits. */
  send(given: SendOptions) {
    checkedField(given, "taskId", 'send({ taskId: "t1", message: "Hello", whenBusy: "queue" })');
    const { messageId = newIdempotencyKey() } = given;
    return call(routes.execute, { ...given, messageId, clientTools: toolDefinitions(given.clientTools) });
  },

  /** The messages that wait in a task, the oldest first. */
  inbox: async (taskId: string, given: CallOptions = {}): Promise<readonly WaitingMessage[]> =>
    (await call(routes.listInbox, { ...given, taskId })).messages,

  /** Changes a message that waits. */
  editMessage: (given: OptionsOf<typeof routes.editMessage>) => call(routes.editMessage, given),

  /** Removes a message that waits. Repeating it is no error. */
  async removeMessage(taskId: string, messageId: string, given: CallOptions = {}): Promise<void> {
    await call(routes.removeMessage, { ...given, taskId, messageId });
  },
});
