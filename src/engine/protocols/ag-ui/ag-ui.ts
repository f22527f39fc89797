import { asText, isRecord } from "../../../shared/json-values.ts";
import type { EngineCalls, Events } from "../engine-calls.ts";
import { isInFlight, lastTurn } from "../last-turn.ts";
import type { ProtocolHandler, ProtocolModule } from "../protocol.ts";
import { SseWriter } from "../sse-writer.ts";
import { answerRequests } from "./interrupts.ts";
import { executionOf } from "./run-execution.ts";
import { RunEvents } from "./run-events.ts";
import { type News, type RunInput, type RunMessage, forwardedOf, newsOf, readRun } from "./run-input.ts";
import { messagesOf, storedMessages } from "./stored-messages.ts";
import { scanTurn, seenBy } from "./turn-scan.ts";

/** Events on request that a run shows. */
const GROUPS = ["message", "model", "file"] as const;

/** What a run streams. */
interface Source {
  /** Null: nothing goes on. */
  readonly events: Events | null;
  readonly seenSeq: number;
  readonly passedSeq: number;
  /** Given to a client that asks for the conversation. */
  readonly snapshot: readonly object[] | null;
  /** Ends what the run has begun, or goes on with. */
  readonly leave: () => unknown;
}

const ANEW: Source = { events: null, seenSeq: 0, passedSeq: 0, snapshot: null, leave: () => undefined };

const run: ProtocolHandler = async ({ request, response, calls }) => {
  const input = readRun(calls, request.body);
  const { threadId, runId } = input;
  const source = await sourceOf(calls, input);
  const given = (request.body as { readonly messages: readonly object[] }).messages;
  const events = new RunEvents(
    { threadId, runId },
    {
      messages: source.snapshot ?? given,
      state: input.state,
      answered: answeredBy(input),
      seenSeq: source.seenSeq,
      passedSeq: source.passedSeq,
    },
  );
  if (forwardedOf(input)["on_disconnect"] === "cancel") cancelWhenLeft(calls, events, source);
  const stream = SseWriter.open(response, calls.limits);
  await stream.write(events.open());
  if (source.snapshot !== null) await stream.write(events.replaceMessages(source.snapshot));
  try {
    if (source.events === null) await stream.write(events.finish());
    else await follow(stream, events, source.events);
  } catch (error) {
    await stream.write(events.fail(calls.described(error)));
  }
  stream.end();
};

function answeredBy({ resume = [], messages }: RunInput): ReadonlySet<string> {
  const results = messages.flatMap(({ toolCallId }) => toolCallId ?? []);
  return new Set([...results, ...resume.map(({ interruptId }) => interruptId)]);
}

async function follow(stream: SseWriter, events: RunEvents, source: Events): Promise<void> {
  for await (const rows of source) {
    await stream.write(events.feed(rows));
    if (events.isOver) return;
  }
  const message = "the events of the turn are kept no longer; an empty list of messages gets the conversation";
  await stream.write(events.fail({ code: "NOT_FOUND", message }));
}

function cancelWhenLeft(calls: EngineCalls, events: RunEvents, { leave }: Source): void {
  const cancel = () => {
    if (!events.isOver) leave();
  };
  if (calls.gone.aborted) cancel();
  else calls.gone.addEventListener("abort", cancel, { once: true });
}

async function sourceOf(calls: EngineCalls, input: RunInput): Promise<Source> {
  const news = newsOf(input);
  const isAnswer = (input.resume ?? []).length > 0 || news.results.length > 0;
  const answered = isAnswer ? await resumed(calls, input, news) : null;
  const unknown = unsent(calls, input, news);
  if (answered !== null && unknown.length === 0) return answered;
  if (unknown.length > 0) {
    const { events, leave } = await calls.send(executionOf(calls, input, unknown), { groups: GROUPS });
    return { ...ANEW, events, leave };
  }
  const repeated = news.said.at(-1);
  return repeated === undefined ? conversation(calls, input) : again(calls, input, repeated);
}

/** From its first event to its end. */
const wholeTurn = (calls: EngineCalls, { threadId: taskId }: Pick<RunInput, "threadId">, turnId: string) => ({
  events: calls.read({ taskId, turnId, live: true, groups: GROUPS }),
  leave: () => calls.cancelTurn(taskId, turnId),
});

/** What the user has said that the conversation has not. */
const unsent = (calls: EngineCalls, { threadId }: RunInput, { said }: News): readonly RunMessage[] =>
  said.filter(({ id }) => calls.sent(threadId, id) === null);

/** A message that was sent before is not sent again: the run streams its answer. */
async function again(calls: EngineCalls, input: RunInput, message: RunMessage): Promise<Source> {
  const fate = calls.sent(input.threadId, message.id);
  if (fate?.turnId === null || fate === null) {
    const { events, leave } = await calls.send(executionOf(calls, input, [message]), { groups: GROUPS });
    return { ...ANEW, events, leave };
  }
  const { turnId, afterSeq } = fate;
  const { passedSeq } = await scanTurn(calls, turnId);
  return { ...ANEW, ...wholeTurn(calls, input, turnId), seenSeq: afterSeq, passedSeq };
}

/** Answers what the thread's last turn waits for. The run streams what comes after that. Null: nothing of it was an answer. */
async function resumed(
  calls: EngineCalls,
  { threadId, resume = [], messages }: RunInput,
  news: News,
): Promise<Source | null> {
  const turn = await lastTurn(calls, threadId);
  if (turn === null) throw calls.error("NOT_FOUND", "threadId: the thread has no run to resume");
  const { turn_id: turnId } = turn;
  const scan = await scanTurn(calls, turnId);
  const results = news.results.filter(({ toolCallId = "" }) => scan.clientCalls.has(toolCallId));
  if (resume.length === 0 && results.length === 0) return null;
  await answerRequests(calls, resume, { taskId: threadId, turnId, known: scan.requests });
  for (const result of results) {
    const place = `messages.${messages.indexOf(result)}`;
    await calls.call("respondTool", { body: toolAnswer(calls, result, place) });
  }
  const ids = [...resume.map((one) => one.interruptId), ...results.map(({ toolCallId = "" }) => toolCallId)];
  return { ...ANEW, ...wholeTurn(calls, { threadId }, turnId), seenSeq: seenBy(scan, ids), passedSeq: scan.passedSeq };
}

function toolAnswer(calls: EngineCalls, { toolCallId, content, error }: RunMessage, place: string): object {
  if (error !== undefined && error !== "") return { tool_call_id: toolCallId, error };
  if (typeof content === "string") return { tool_call_id: toolCallId, output: parsed(content) };
  if (!Array.isArray(content))
    throw calls.error("INVALID_REQUEST", `${place}.content: expected a text or a list of parts`);
  const texts = content.map((part: unknown) => {
    if (isRecord(part) && part["type"] === "text") return asText(part["text"]);
    throw calls.error("INVALID_REQUEST", `${place}.content: expected parts of the type text`);
  });
  return { tool_call_id: toolCallId, output: parsed(texts.join("\n")) };
}

/** A tool that returns structured data has written it as text. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : text;
  } catch {
    return text;
  }
}

/** The stored conversation, and what goes on in it. */
async function conversation(calls: EngineCalls, { threadId }: RunInput): Promise<Source> {
  const turn = await lastTurn(calls, threadId);
  const stored = await storedMessages(calls, threadId);
  if (turn === null || !isInFlight(turn)) return { ...ANEW, snapshot: messagesOf(stored) };
  // What the turn has said comes again with its events.
  const before = stored.filter(({ turn_id: id, role }) => role === "user" || id !== turn.turn_id);
  const { passedSeq } = await scanTurn(calls, turn.turn_id);
  return { ...ANEW, ...wholeTurn(calls, { threadId }, turn.turn_id), passedSeq, snapshot: messagesOf(before) };
}

export const handlers: ProtocolModule["handlers"] = { agUiRun: run };
