import * as z from "zod/mini";
import type { TaskMessages } from "../../../contract/engine/task.ts";
import type { ShownTurn, TurnPage } from "../../../contract/engine/turn.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { type ProtocolCall, type ProtocolHandler, type ProtocolModule, sendJson } from "../protocol.ts";
import { SseWriter } from "../sse-writer.ts";
import { askedOptions } from "./asked-options.ts";
import { type Begun, type Place, beginAnswer, readAnswer } from "./begin-answer.ts";
import { type AnswerPlace, placeOf } from "./ids.ts";
import {
  eventsGone,
  instructionsContext,
  isRepeated,
  namedTask,
  throwFailure,
  withRetryAdvice,
} from "./openai-call.ts";
import { ResponseFrames, ResponseReading, fromMessages } from "./read-response.ts";
import { type Created, RESPONSE, metadataOf, responseHead, responseOf } from "./response-object.ts";
import {
  type ResponseRequest,
  type SentInput,
  assertSupported,
  responseRequest,
  sentInput,
} from "./response-request.ts";
import { textOf } from "./sent-conversation.ts";
import { afterTurn } from "./turn-place.ts";

const create: ProtocolHandler = async (call) => {
  const { request, response, calls } = call;
  const body = calls.validate(responseRequest, request.body);
  assertSupported(calls, body);
  const sent = sentInput(calls, body);
  const begun = await begin(call, body, sent);
  if (begun.kind === "ask_again")
    throw calls.error("INVALID_REQUEST", `input: expected an answer to the question: ${begun.ask.options.join(", ")}`);
  response.setHeader("X-Task-Id", encodeURIComponent(begun.taskId));
  if (body.stream === true) return stream(call, begun, { endsWithClient: body.store === false && !body.background });
  if (body.background === true && begun.turnId !== null) return sendStarted(call, begun, begun.turnId);
  const reading = new ResponseReading(calls, begun);
  const whole = await reading.whole(begun.events);
  const { end } = reading.reader;
  if (calls.gone.aborted) return;
  if (whole === null || end === null) throw eventsGone(calls);
  if (whole.status === "failed" && end.kind === "failed")
    throwFailure(call, end, { isEmpty: reading.items?.isEmpty ?? true });
  sendJson(response, whole);
};

async function begin({ request, calls }: ProtocolCall, body: ResponseRequest, sent: SentInput) {
  const { options } = askedOptions(calls, {
    model: body.model,
    tools: (body.tools ?? []).map((tool) => ({ ...tool, name: tool.name ?? "" })),
    toolChoice: body.tool_choice,
    effort: { value: body.reasoning?.effort, field: "reasoning.effort" },
    format: { value: body.text?.format, field: "text.format" },
    wantsReasoning: Boolean(body.reasoning?.summary),
  });
  const repeated = isRepeated(request);
  const place = await placeFor(calls, body, sent, { named: namedTask({ request, calls }, body.metadata), repeated });
  if (place.kind === "turn") return readAnswer(calls, { turnId: place.turnId, afterSeq: 0 });
  const created: Created = {
    ...(body.previous_response_id && { previous_response_id: body.previous_response_id }),
    ...(body.background && { background: true }),
  };
  return beginAnswer(calls, sent, {
    place,
    options: {
      ...options,
      metadata: metadataOf(body.metadata ?? {}, created),
      // A response in the background has its id, and so its turn, at once.
      ...(body.background && { when_busy: "reject" }),
    },
    context: [
      ...instructionsContext(body.instructions ? [body.instructions] : [], "turn"),
      ...instructionsContext(sent.instructions, "task").map((item) => ({ ...item, name: "developer" })),
    ],
    isRepeated: repeated,
  });
}

async function placeFor(
  calls: EngineCalls,
  { previous_response_id: previous, conversation }: ResponseRequest,
  sent: SentInput,
  { named, repeated }: { readonly named: string | undefined; readonly repeated: boolean },
): Promise<Place | { readonly kind: "turn"; readonly turnId: string }> {
  const taskId = named ?? (typeof conversation === "string" ? conversation : conversation?.id);
  if (taskId !== undefined) return { kind: "named", taskId };
  const turnId = previous ? placeOf(RESPONSE, previous)?.turnId : sent.lastTurn;
  if (turnId === undefined) throw calls.error("NOT_FOUND", "previous_response_id: no response has this id");
  if (turnId === null) return { kind: "by_messages" };
  const answers = sent.outputs.length > 0 || sent.approvals.length > 0;
  return afterTurn(calls, turnId, { text: textOf(sent.parts), isRepeated: repeated, answers });
}

/** Streams a response, or what of it comes after a number. */
async function stream(
  { response, calls }: Pick<ProtocolCall, "response" | "calls">,
  begun: Begun,
  { after, endsWithClient = false }: { readonly after?: number; readonly endsWithClient?: boolean },
): Promise<void> {
  const writer = SseWriter.open(response, calls.limits);
  const reading = new ResponseReading(calls, begun);
  const { reader } = reading;
  const frames = new ResponseFrames(after === undefined ? {} : { after });
  let hasBegun = false;
  const leave = () => {
    if (endsWithClient && reader.end === null) begun.leave();
  };
  calls.gone.addEventListener("abort", leave, { once: true });
  try {
    for await (const pieces of reading.pieces(begun.events)) {
      let text = "";
      if (!hasBegun && reading.response !== null && reader.firstSeq !== null) {
        text += frames.begin(reading.response, reader.firstSeq);
        hasBegun = true;
      }
      for (const piece of pieces) text += frames.of(piece.seq, reading.items?.take(piece) ?? []);
      const { end } = reader;
      if (end !== null && reading.response !== null) text += frames.end(reader.seq, reading.response, end);
      await writer.write(text);
    }
    if (reader.end === null) throw eventsGone(calls);
  } catch (error) {
    await writer.write(frames.failed(calls.described(error)));
  }
  if (calls.gone.aborted) leave();
  writer.end();
}

/** A response in the background: it is read later. */
async function sendStarted({ response, calls }: ProtocolCall, begun: Begun, turnId: string): Promise<void> {
  const turn = await calls.call<ShownTurn>("showTurn", { path: { turn_id: turnId } });
  const { agent, started_at: startedAt } = turn;
  const head = responseHead(
    { turnId, afterSeq: begun.afterSeq },
    { taskId: begun.taskId, agent, startedAt: Date.parse(startedAt), sent: calls.sentWith(turnId) },
  );
  sendJson(response, responseOf(head, { end: null, output: [], tokens: { input: 0, output: 0, cached: 0 } }));
}

const QUERY = { stream: z.optional(z.enum(["true", "false"])), starting_after: z.optional(z.string()) };
const retrieveQuery = z.object(QUERY);

async function shown({ request, calls }: Pick<ProtocolCall, "request" | "calls">) {
  const place = placeOf(RESPONSE, String(request.params["response_id"]));
  if (place === null) throw calls.error("NOT_FOUND", "response_id: no response has this id");
  const turn = await calls.call<ShownTurn>("showTurn", { path: { turn_id: place.turnId } });
  return { place, turn };
}

const retrieve: ProtocolHandler = async (call) => {
  const { request, response, calls } = call;
  const { stream: streams, starting_after: after } = calls.validate(retrieveQuery, { ...request.query });
  if (after !== undefined && !/^\d{1,15}$/.test(after))
    throw calls.error("INVALID_REQUEST", "starting_after: expected a sequence_number");
  const { place, turn } = await shown(call);
  if (streams !== "true") return sendJson(response, await stored(calls, place, turn));
  const events = calls.read({ turnId: place.turnId, live: true, merge: after === undefined });
  const leave = () => undefined;
  const begun = { kind: "answer", taskId: turn.task_id, ...place, events, leave } as const;
  return stream(call, begun, after === undefined ? {} : { after: Number(after) });
};

async function stored(calls: EngineCalls, place: AnswerPlace, turn: ShownTurn) {
  const reading = new ResponseReading(calls, { taskId: turn.task_id, afterSeq: place.afterSeq });
  const whole = await reading.whole(calls.read({ turnId: place.turnId, live: false }));
  const found = whole !== null && (reading.reader.firstSeq !== null || turn.ended_at === null);
  const response = found ? whole : await fromMessages(calls, place, turn);
  if (response === null) throw calls.error("NOT_FOUND", "response_id: no response has this id");
  return response;
}

const cancel: ProtocolHandler = async (call) => {
  const { response, calls } = call;
  const { place, turn } = await shown(call);
  if (calls.cancelTurn(turn.task_id, place.turnId))
    for await (const _ of calls.read({ turnId: place.turnId, live: true }));
  sendJson(response, await stored(calls, place, turn));
};

const remove: ProtocolHandler = async (call) => {
  const { request, response, calls } = call;
  const { turn } = await shown(call);
  const { items } = await calls.call<TurnPage>("listTurns", { query: { task_id: turn.task_id, limit: "2" } });
  if (items.length > 1)
    throw calls.error(
      "INVALID_REQUEST",
      "response_id: not supported for a task with other turns; DELETE /tasks/{task_id} deletes them together",
    );
  await calls.call("deleteTask", { path: { task_id: turn.task_id } });
  sendJson(response, { id: String(request.params["response_id"]), object: "response", deleted: true });
};

/** The message that the response answers. */
const listInput: ProtocolHandler = async (call) => {
  const { response, calls } = call;
  const { place, turn } = await shown(call);
  const path = { task_id: turn.task_id };
  const { items } = await calls.call<TaskMessages>("listMessages", { path, query: { limit: "200" } });
  const own = items.filter(({ turn_id: turnId, role }) => turnId === place.turnId && role === "user");
  const data = own.map(({ message_id: id, parts }) => ({
    id,
    type: "message",
    role: "user",
    status: "completed",
    content: parts.flatMap((part): object[] => {
      if (part.type === "text") return [{ type: "input_text", text: part.text }];
      return part.type === "attachment" ? [{ type: "input_file", filename: part.name }] : [];
    }),
  }));
  const ids = data.map(({ id }) => id);
  sendJson(response, { object: "list", data, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null, has_more: false });
};

export const handlers: ProtocolModule["handlers"] = {
  createResponse: withRetryAdvice(create),
  showResponse: retrieve,
  cancelResponse: withRetryAdvice(cancel),
  deleteResponse: withRetryAdvice(remove),
  listResponseInput: listInput,
};
