import {
  type AgentContext,
  type PromptRequest,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
  type StopReason,
  methods,
} from "@agentclientprotocol/sdk";
import type { EngineClient } from "../../src/client/engine-client.ts";
import type { HumanRequest, OnHuman } from "../../src/client/human-responder.ts";
import type { PendingRequest } from "../../src/client/records.ts";
import type { Turn } from "../../src/client/turn.ts";
import { askEditor, canShow } from "./ask-editor.ts";
import { messageOf, textOf } from "./prompt-content.ts";
import type { SessionOptions } from "./session-options.ts";
import { TurnUpdates, chunk } from "./turn-updates.ts";

interface Parts {
  readonly engine: EngineClient;
  readonly taskId: string;
  readonly options: SessionOptions;
  readonly hasForms: boolean;
}

/** Why a reader has left a turn that goes on: its question is the user's to answer by the next message. */
class LeftOpen extends Error {}

/** A conversation in an editor: a task of the engine. */
export class EditorSession {
  readonly #parts: Parts;
  /** Whether the editor has cancelled the prompt. It also answers the prompt's requests then, which leaves no question open. */
  #isCancelled = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async prompt({ prompt }: Pick<PromptRequest, "prompt">, client: AgentContext): Promise<PromptResponse> {
    const { taskId: sessionId } = this.#parts;
    this.#isCancelled = false;
    const left = new AbortController();
    const show = (update: SessionUpdate) => client.notify(methods.client.session.update, { sessionId, update });
    const onHuman: OnHuman = async (request, { signal }) => {
      const answer = await this.#ask(request, { client, signal });
      if (answer !== null || signal.aborted || this.#isCancelled) return answer ?? undefined;
      for (const update of chunk("agent_message_chunk", openText(request))) await show(update);
      left.abort(new LeftOpen());
      return undefined;
    };
    const turn = await this.#begin(prompt, { onHuman, signal: left.signal });
    const updates = new TurnUpdates();
    let usage: object | null = null;
    let stopReason: StopReason = "end_turn";
    try {
      for await (const event of turn) {
        for (const update of updates.take(event)) await show(update);
        if (event.event === "usage") usage = usageOf(event.data);
        if (event.event === "error") stopReason = stopReasonOf(event.data);
      }
    } catch (error) {
      if (!(left.signal.reason instanceof LeftOpen)) throw error;
    }
    return { stopReason, ...(usage !== null && { _meta: { usage } }) };
  }

  async cancel(): Promise<void> {
    this.#isCancelled = true;
    await this.#parts.engine.cancel(this.#parts.taskId);
  }

  /** Sends the message, or answers the question that the task waits for by it. */
  async #begin(
    prompt: PromptRequest["prompt"],
    reading: { readonly onHuman: OnHuman; readonly signal: AbortSignal },
  ): Promise<Turn | AsyncIterable<Parameters<TurnUpdates["take"]>[0]>> {
    const { engine, taskId, options } = this.#parts;
    const open = (await engine.pending()).find(({ task_id, kind }) => task_id === taskId && kind === "question");
    if (open === undefined) {
      const message = messageOf(prompt);
      return engine.execute({ taskId, message, thinking: true, ...options.ofTurn(), ...reading });
    }
    await engine.respond(open.request_id, textOf(prompt));
    return restOf(engine.resume({ taskId, turnId: open.turn_id, ...reading }), open);
  }

  async #ask(
    request: HumanRequest,
    { client, signal }: { readonly client: AgentContext; readonly signal: AbortSignal },
  ): Promise<string | null> {
    const { taskId: sessionId, hasForms } = this.#parts;
    if (!canShow(request, hasForms)) return null;
    return askEditor(request, { client, sessionId, hasForms, signal });
  }
}

/** The events of a turn that come after the answer to a question. */
async function* restOf(
  turn: Turn,
  { request_id: id }: PendingRequest,
): AsyncGenerator<Parameters<TurnUpdates["take"]>[0]> {
  let isAnswered = false;
  for await (const event of turn) {
    if (isAnswered) yield event;
    else isAnswered = event.event === "hitl_resolved" && event.data.request_id === id;
  }
}

function openText({ question, options }: HumanRequest): string {
  return `\n\n${question}${options.length === 0 ? "" : ` (${options.join(", ")})`}`;
}

const usageOf = ({
  input_tokens,
  output_tokens,
  cache_hit_tokens,
}: {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_hit_tokens: number;
}) => ({ input_tokens, output_tokens, cache_hit_tokens });

function stopReasonOf({ error, message }: { readonly error: string; readonly message: string }): StopReason {
  if (error === "CANCELLED") return "cancelled";
  if (error === "STEP_LIMIT") return "max_turn_requests";
  throw new RequestError(FAILED_TURN, `${error}: ${message}`, { error });
}

const FAILED_TURN = -32_603;
