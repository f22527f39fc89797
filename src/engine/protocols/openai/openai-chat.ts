import { protocolErrorBody } from "../../../contract/engine/protocols.ts";
import { SseWriter } from "../sse-writer.ts";
import { type ProtocolCall, type ProtocolHandler, type ProtocolModule, sendJson } from "../protocol.ts";
import { askedOptions } from "./asked-options.ts";
import { type AskedAgain, type Begun, beginAnswer } from "./begin-answer.ts";
import { ChatAnswer, ChunkFrames, type CompletionHead, completion } from "./chat-answer.ts";
import { type ChatRequest, assertSupported, chatConversation, chatRequest } from "./completion-request.ts";
import { answerId } from "./ids.ts";
import {
  assertModel,
  eventsGone,
  failureBody,
  instructionsContext,
  isRepeated,
  namedTask,
  throwFailure,
  withRetryAdvice,
} from "./openai-call.ts";
import { AnswerReader, piecesOf } from "./turn-pieces.ts";

const complete: ProtocolHandler = async (call) => {
  const { request, response, calls } = call;
  const body = calls.validate(chatRequest, request.body);
  assertSupported(calls, body);
  const sent = chatConversation(calls, body.messages);
  const { options, isStructured, showsReasoning } = askedOptions(calls, {
    model: body.model,
    tools: (body.tools ?? []).map((tool) => tool.function),
    toolChoice: body.tool_choice,
    effort: { value: body.reasoning_effort, field: "reasoning_effort" },
    format: { value: body.response_format, field: "response_format.json_schema" },
  });
  const taskId = namedTask(call, body.metadata);
  const begun = await beginAnswer(calls, sent, {
    place: taskId === undefined ? { kind: "by_messages" } : { kind: "named", taskId },
    options: { ...options, ...(body.metadata && { metadata: body.metadata }) },
    context: instructionsContext(sent.instructions, "task"),
    isRepeated: isRepeated(request),
  });
  response.setHeader("X-Task-Id", encodeURIComponent(begun.taskId));
  const answer = new ChatAnswer({ isStructured, showsReasoning });
  if (begun.kind === "ask_again") return sendQuestion(call, body, begun, answer);
  return body.stream === true ? streamAnswer(call, body, begun, answer) : sendAnswer(call, body, begun, answer);
};

const headOf = (
  { model }: ChatRequest,
  { turnId, afterSeq }: { readonly turnId: string; readonly afterSeq: number },
  startedAt: number,
): CompletionHead => ({
  id: answerId("chatcmpl-", { turnId, afterSeq }),
  created: Math.floor(startedAt / 1000),
  model,
});

async function sendAnswer(call: ProtocolCall, body: ChatRequest, begun: Begun, answer: ChatAnswer): Promise<void> {
  const reader = new AnswerReader(begun);
  for await (const pieces of piecesOf(begun.events, reader)) for (const piece of pieces) answer.take(piece);
  if (call.calls.gone.aborted) return;
  if (reader.end === null) throw eventsGone(call.calls);
  if (answer.failure !== null) throwFailure(call, answer.failure, answer);
  const turnId = reader.turnId ?? "";
  const head = headOf(body, { ...begun, turnId }, reader.startedAt ?? Date.now());
  sendJson(call.response, completion(head, answer, reader.tokens));
}

async function streamAnswer(
  { response, calls }: ProtocolCall,
  body: ChatRequest,
  begun: Begun,
  answer: ChatAnswer,
): Promise<void> {
  const stream = SseWriter.open(response, calls.limits);
  const reader = new AnswerReader(begun);
  // This protocol has no other way to cancel.
  const leave = () => {
    if (reader.end === null) begun.leave();
  };
  calls.gone.addEventListener("abort", leave, { once: true });
  try {
    await writeChunks(stream, { body, begun, answer, reader });
    if (reader.end === null) throw eventsGone(calls);
  } catch (error) {
    await stream.write(ChunkFrames.failed(protocolErrorBody("openai_chat", calls.described(error))));
  }
  if (calls.gone.aborted) leave();
  stream.end();
}

async function writeChunks(
  stream: SseWriter,
  {
    body,
    begun,
    answer,
    reader,
  }: {
    readonly body: ChatRequest;
    readonly begun: Begun;
    readonly answer: ChatAnswer;
    readonly reader: AnswerReader;
  },
): Promise<void> {
  const hasUsage = body.stream_options?.include_usage === true;
  let frames: ChunkFrames | null = null;
  for await (const pieces of piecesOf(begun.events, reader)) {
    let text = "";
    if (frames === null && reader.turnId !== null) {
      const head = headOf(body, { ...begun, turnId: reader.turnId }, reader.startedAt ?? Date.now());
      frames = new ChunkFrames(head, { hasUsage });
      text = frames.delta({ role: "assistant", content: "" });
    }
    if (frames === null) continue;
    for (const piece of pieces) {
      const delta = answer.take(piece);
      if (delta !== null) text += frames.delta(delta);
    }
    if (answer.failure !== null) text += ChunkFrames.failed(failureBody("openai_chat", answer.failure));
    else if (reader.end !== null) {
      text += frames.delta({}, answer.finish ?? "stop");
      if (hasUsage) text += frames.usage(reader.tokens);
      text += ChunkFrames.done;
    }
    await stream.write(text);
  }
}

/** The message fits none of the options of an open question: the question again. No turn has begun. */
async function sendQuestion(
  { response, calls }: ProtocolCall,
  body: ChatRequest,
  { ask }: AskedAgain,
  answer: ChatAnswer,
): Promise<void> {
  const delta = answer.ask(ask);
  const head = { id: `chatcmpl-${ask.requestId}`, created: Math.floor(Date.now() / 1000), model: body.model };
  const tokens = { input: 0, output: 0, cached: 0 };
  if (body.stream !== true) return sendJson(response, completion(head, answer, tokens));
  const stream = SseWriter.open(response, calls.limits);
  const hasUsage = body.stream_options?.include_usage === true;
  const frames = new ChunkFrames(head, { hasUsage });
  const usage = hasUsage ? frames.usage(tokens) : "";
  await stream.write(
    frames.delta({ role: "assistant", content: "" }) +
      frames.delta(delta) +
      frames.delta({}, "stop") +
      usage +
      ChunkFrames.done,
  );
  return stream.end();
}

const modelOf = (id: string) => ({ id, object: "model", created: 0, owned_by: "catalog" });

const listModels: ProtocolHandler = async ({ response, calls }) =>
  sendJson(response, { object: "list", data: calls.agents().map(({ name }) => modelOf(name)) });

const showModel: ProtocolHandler = async ({ request, response, calls }) => {
  const name = String(request.params["model"]);
  assertModel(calls, name);
  sendJson(response, modelOf(name));
};

export const handlers: ProtocolModule["handlers"] = {
  chatCompletions: withRetryAdvice(complete),
  listModels,
  showModel,
};
