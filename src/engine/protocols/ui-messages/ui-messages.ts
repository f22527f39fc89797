import type { ExecuteRequest } from "../../../contract/engine/requests.ts";
import type { TaskMessages } from "../../../contract/engine/task.ts";
import { isInFlight, lastTurn } from "../last-turn.ts";
import { type ProtocolCall, type ProtocolHandler, type ProtocolModule, sendJson } from "../protocol.ts";
import { uiMessages } from "./stored-ui-messages.ts";
import { sendChat } from "./send-chat.ts";
import { GROUPS, streamTurn } from "./stream-turn.ts";

const taskIdOf = ({ request }: ProtocolCall): string => String(request.params["task_id"]);

/** Streams the task's turn in flight from its beginning. 204: there is none. */
const resume: ProtocolHandler = async (call) => {
  const taskId = taskIdOf(call);
  const last = await lastTurn(call.calls, taskId);
  if (last === null || !isInFlight(last)) {
    call.response.writeHead(204).end();
    return;
  }
  const { turn_id: turnId } = last;
  const events = call.calls.read({ taskId, turnId, live: true, groups: GROUPS });
  await streamTurn(call, { taskId, turnId, events });
};

/** Ends the turn. A page's `stop` alone only stops reading. */
const stop: ProtocolHandler = async (call) => {
  const body = { task_id: taskIdOf(call) } satisfies Pick<ExecuteRequest, "task_id">;
  sendJson(call.response, await call.calls.call("cancel", { body }));
};

/** What was said, for the `messages` that a page begins with. A chat without a message has none. */
const messages: ProtocolHandler = async (call) => {
  const { before, limit } = call.request.query;
  const query = {
    ...(typeof before === "string" && { before }),
    ...(typeof limit === "string" && { limit }),
  };
  const page = await call.calls
    .call<TaskMessages>("listMessages", { path: { task_id: taskIdOf(call) }, query })
    .catch((error: unknown) => {
      if (call.calls.described(error).code === "NOT_FOUND") return { items: [], before: null };
      throw error;
    });
  sendJson(call.response, { messages: await uiMessages(call.calls, page.items), before: page.before });
};

export const handlers: ProtocolModule["handlers"] = {
  uiChat: sendChat,
  uiChatStream: resume,
  uiChatStop: stop,
  uiChatMessages: messages,
};
