import * as z from "zod/mini";
import { isRecord } from "../../../shared/json-values.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { type ProtocolHandler, type ProtocolModule, sendJson } from "../protocol.ts";
import { A2aError, answeredError } from "./a2a-error.ts";
import { agentCard } from "./agent-card.ts";
import { taskOf, taskOfView, turnOf } from "./find-task.ts";
import { listTasks } from "./list-tasks.ts";
import { getParams, listParams, sendParams, taskParams } from "./requests.ts";
import { type Going, advance, going, sendMessage } from "./send-message.ts";
import { streamTask } from "./stream-task.ts";

const VERSION = "1.0";
/** Characters of the id of a request, which each frame of its answer repeats. */
const MAX_ID = 1000;
const ID = `expected a number or at most ${MAX_ID} characters`;
/** A method of an earlier version, such as `message/send`. */
const EARLIER_METHOD = /^(message|tasks|agent)\//;

const envelope = z.object({
  jsonrpc: z.literal("2.0"),
  method: z.string(),
  id: z.optional(z.union([z.string().check(z.maxLength(MAX_ID, ID)), z.number(), z.null()])),
  params: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
});

type Method = (calls: EngineCalls, params: unknown) => Promise<object | null>;
type StreamMethod = (
  calls: EngineCalls,
  params: unknown,
) => Promise<Going & { readonly historyLength?: number | undefined }>;

const pushNotifications: Method = async () => {
  throw new A2aError(
    "PUSH_NOTIFICATION_NOT_SUPPORTED",
    "the agent sends no push notifications to addresses of clients",
  );
};

const METHODS: Readonly<Record<string, Method>> = {
  async SendMessage(calls, params) {
    const sent = calls.validate(sendParams, params);
    const { returnImmediately = false, historyLength } = sent.configuration ?? {};
    const task = await sendMessage(calls, sent);
    if (!returnImmediately) await advance(task);
    return { task: await taskOfView(calls, task.view, { historyLength }) };
  },
  async GetTask(calls, params) {
    const { id, historyLength } = calls.validate(getParams, params);
    return taskOf(calls, await turnOf(calls, id), { historyLength });
  },
  ListTasks: (calls, params) => listTasks(calls, calls.validate(listParams, params ?? {})),
  async CancelTask(calls, params) {
    const { id } = calls.validate(taskParams, params);
    const { task_id: taskId, turn_id: turnId } = await turnOf(calls, id);
    if (!calls.cancelTurn(taskId, turnId)) throw new A2aError("TASK_NOT_CANCELABLE", "id: the task has ended");
    const { view, events } = await going(calls, { task_id: taskId, turn_id: turnId });
    for await (const rows of events) for (const row of rows) view.apply(row);
    return taskOfView(calls, view);
  },
  GetExtendedAgentCard: async (calls) => agentCard(calls),
  CreateTaskPushNotificationConfig: pushNotifications,
  GetTaskPushNotificationConfig: pushNotifications,
  ListTaskPushNotificationConfigs: pushNotifications,
  DeleteTaskPushNotificationConfig: pushNotifications,
};

const STREAMS: Readonly<Record<string, StreamMethod>> = {
  async SendStreamingMessage(calls, params) {
    const sent = calls.validate(sendParams, params);
    return { ...(await sendMessage(calls, sent)), historyLength: sent.configuration?.historyLength };
  },
  async SubscribeToTask(calls, params) {
    const { id } = calls.validate(taskParams, params);
    const task = await going(calls, await turnOf(calls, id));
    if (task.view.isOver || !task.view.isWhole)
      throw new A2aError("UNSUPPORTED_OPERATION", "id: the task has ended; GetTask returns it");
    return task;
  },
};

const call: ProtocolHandler = async ({ request, response, calls }) => {
  const id = idOf(request.body);
  const answer = (body: object) => sendJson(response, { jsonrpc: "2.0", id, ...body });
  try {
    const { method, params } = calls.validate(envelope, request.body);
    assertVersion(request.headers["a2a-version"], method);
    const stream = Object.hasOwn(STREAMS, method) ? STREAMS[method] : undefined;
    if (stream !== undefined) {
      const { historyLength, ...task } = await stream(calls, params);
      return await streamTask({ calls, response, id }, task, historyLength);
    }
    const named = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
    if (named === undefined) throw new A2aError("METHOD_NOT_FOUND", `method: unknown, ${method.slice(0, 100)}`);
    return answer({ result: await named(calls, params) });
  } catch (error) {
    if (response.headersSent) throw error;
    return answer({ error: answeredError(calls, error) });
  }
};

const idOf = (body: unknown): string | number | null => {
  const id = isRecord(body) ? body["id"] : null;
  return (typeof id === "string" && id.length <= MAX_ID) || typeof id === "number" ? id : null;
};

function assertVersion(header: string | readonly string[] | undefined, method: string): void {
  const version = EARLIER_METHOD.test(method) ? "0.3" : header || VERSION;
  if (version !== VERSION)
    throw new A2aError(
      "VERSION_NOT_SUPPORTED",
      `A2A-Version: expected ${VERSION}, received ${String(version).slice(0, 20)}`,
    );
}

const card: ProtocolHandler = async ({ response, calls }) => sendJson(response, agentCard(calls));

export const handlers: ProtocolModule["handlers"] = { a2aCall: call, a2aCard: card };
