import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import type { MessageContent } from "../../../contract/engine/message-content.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { lastTurn } from "../last-turn.ts";
import { type ProtocolHandler, sendJson } from "../protocol.ts";
import { answerCall, confirmCall } from "./tool-answers.ts";
import { contentBlock, contentBlocks, messageOf, textOfResult } from "./content-blocks.ts";
import { eventId } from "./event-ids.ts";

const sentEvent = z.object({
  type: z.string(),
  content: z.optional(z.array(contentBlock).check(z.maxLength(256))),
  tool_use_id: z.optional(z.string()),
  custom_tool_use_id: z.optional(z.string()),
  result: z.optional(z.enum(["allow", "deny"])),
  deny_message: z.nullish(z.string()),
  is_error: z.nullish(z.boolean()),
  session_thread_id: z.nullish(z.string()),
});
type SentEvent = z.output<typeof sentEvent>;
const sendRequest = z.object({ events: z.array(sentEvent).check(z.minLength(1), z.maxLength(100)) });
export const initialEvents = z.array(sentEvent).check(z.maxLength(50));

/** Takes effect, and returns the event as it is stored. */
type Action = (calls: EngineCalls, taskId: string) => Promise<object>;

/** The engine checks all events before the first one takes effect. Each is stored before the next one. */
export const sendEvents: ProtocolHandler = async ({ request, response, calls }) => {
  const taskId = String(request.params["session_id"]);
  const { events } = calls.validate(sendRequest, request.body);
  const key = request.headers["idempotency-key"]?.toString();
  const actions = actionsOf(calls, events, { field: "events", key });
  await calls.call("showTask", { path: { task_id: taskId } });
  const data: object[] = [];
  for (const act of actions) data.push(await act(calls, taskId));
  sendJson(response, { data });
};

/** What events do. Throws for one that is not supported, by its field. */
export function actionsOf(
  calls: EngineCalls,
  events: readonly SentEvent[],
  { field, key = randomUUID() }: { readonly field: string; readonly key?: string | undefined },
): readonly Action[] {
  return events.map((event, index) => actionOf(calls, event, { at: `${field}.${index}`, id: `${key}.${index}` }));
}

function actionOf(
  calls: EngineCalls,
  event: SentEvent,
  { at, id }: { readonly at: string; readonly id: string },
): Action {
  const refused = (name: string, message: string) => calls.error("INVALID_REQUEST", `${at}.${name}: ${message}`);
  const { type, content = [] } = event;
  switch (type) {
    case "user.message": {
      if (!contentBlocks.safeParse(content).success) throw refused("content", "expected 1 to 256 blocks");
      const message = messageOf(calls, content, `${at}.content`);
      return async (own, taskId) => ({ ...(await post(own, { taskId, message, id })), type, content });
    }
    case "user.interrupt":
      if (event.session_thread_id !== undefined && event.session_thread_id !== null)
        throw refused("session_thread_id", "not supported; a session has one thread");
      return interrupt;
    case "user.tool_confirmation": {
      const { tool_use_id: toolUse, result, deny_message: reason } = event;
      if (toolUse === undefined) throw refused("tool_use_id", "expected the id of an event");
      if (result === undefined) throw refused("result", "expected allow or deny");
      if (typeof reason === "string" && result === "allow") throw refused("deny_message", "expected only with deny");
      return async (own, taskId) => {
        const tell = () => post(own, { taskId, message: reason ?? "", id });
        await confirmCall(own, { taskId, id: toolUse, at }, { result, tell: reason ? tell : null });
        return { ...event, id: `${toolUse}.confirmation`, processed_at: now() };
      };
    }
    case "user.custom_tool_result": {
      const { custom_tool_use_id: toolUse, is_error: isError } = event;
      if (toolUse === undefined) throw refused("custom_tool_use_id", "expected the id of an event");
      const text = textOfResult(calls, content, `${at}.content`);
      return async (own, taskId) => {
        await answerCall(own, { taskId, id: toolUse, at }, { text, isError: isError === true });
        return { ...event, id: `${toolUse}.result`, processed_at: now() };
      };
    }
    case "user.tool_result":
      throw refused("type", "user.tool_result is not supported; the engine runs its tools itself");
    default:
      throw refused("type", `${type.slice(0, 100)} is not supported`);
  }
}

/** A message steers the turn in flight, or starts one. Until a turn has taken it, it has an id of its own. */
async function post(
  calls: EngineCalls,
  { taskId, message, id }: { readonly taskId: string; readonly message: MessageContent; readonly id: string },
): Promise<{ readonly id: string; readonly processed_at: string | null }> {
  const content = typeof message === "string" ? message : [...message];
  const sent = await calls.post({ task_id: taskId, message: content, message_id: id, when_busy: "steer" });
  const { turn_id: turnId } = sent;
  return turnId === null
    ? { id: sent.message_id, processed_at: null }
    : { id: eventId(turnId, "user0"), processed_at: now() };
}

const interrupt: Action = async (calls, taskId) => {
  const last = await lastTurn(calls, taskId);
  await calls.call("cancel", { body: { task_id: taskId } });
  return { id: eventId(last?.turn_id ?? "turn_none", "interrupt"), type: "user.interrupt", processed_at: now() };
};

const now = (): string => new Date().toISOString();
