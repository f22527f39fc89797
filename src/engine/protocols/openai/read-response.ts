import type { TaskMessages } from "../../../contract/engine/task.ts";
import type { ShownTurn } from "../../../contract/engine/turn.ts";
import type { EngineCalls, Events } from "../engine-calls.ts";
import { eventFrame } from "../sse-writer.ts";
import type { AnswerPlace } from "./ids.ts";
import { type ItemEvent, ResponseItems } from "./response-items.ts";
import { type ResponseHead, type ResponseObject, responseHead, responseOf, statusOf } from "./response-object.ts";
import { type AnswerEnd, AnswerReader, type Piece, piecesOf } from "./turn-pieces.ts";

/** Numbers of one stored event's events. Sequence numbers follow from the store, so that every stream has the same. */
const PER_EVENT = 1024;

/** A response as its events are read. */
export class ResponseReading {
  readonly #calls: EngineCalls;
  readonly #place: Omit<AnswerPlace, "turnId">;
  readonly #taskId: string;
  readonly reader: AnswerReader;
  items: ResponseItems | null = null;
  #head: ResponseHead | null = null;

  constructor(calls: EngineCalls, { taskId, afterSeq }: { readonly taskId: string; readonly afterSeq: number }) {
    this.#calls = calls;
    this.#taskId = taskId;
    this.#place = { afterSeq };
    this.reader = new AnswerReader({ afterSeq });
  }

  get response(): ResponseObject | null {
    if (this.#head === null) return null;
    const { end, tokens } = this.reader;
    return responseOf(this.#head, { end, tokens, output: this.items?.output ?? [] });
  }

  /** The pieces of the answer, batch by batch. The response is there with the first one. */
  async *pieces(events: Events): AsyncGenerator<readonly Piece[]> {
    for await (const pieces of piecesOf(events, this.reader)) {
      const { turnId, startedAt } = this.reader;
      if (this.#head === null && turnId !== null) {
        const sent = this.#calls.sentWith(turnId);
        const { agent } = await this.#calls.call<ShownTurn>("showTurn", { path: { turn_id: turnId } });
        this.#head = responseHead(
          { turnId, ...this.#place },
          { taskId: this.#taskId, agent, startedAt: startedAt ?? 0, sent },
        );
        this.items = new ResponseItems({ turnId, isStructured: sent?.options["output_schema"] !== undefined });
      }
      yield pieces;
    }
  }

  /** Reads to the end of the answer, or of what is stored. */
  async whole(events: Events): Promise<ResponseObject | null> {
    for await (const pieces of this.pieces(events)) for (const piece of pieces) this.items?.take(piece);
    return this.response;
  }
}

/** The frames of a response's stream. A client that has seen a number continues after it. */
export class ResponseFrames {
  readonly #after: number;
  #base: number | null = null;
  #last = { seq: -1, count: 0 };

  constructor({ after = -1 }: { readonly after?: number } = {}) {
    this.#after = after;
  }

  begin(response: ResponseObject, firstSeq: number): string {
    this.#base = firstSeq;
    const at = { ...response, status: "in_progress", error: null, incomplete_details: null, output: [], usage: null };
    return (
      this.#frame({ type: "response.created", response: at }, 0) +
      this.#frame({ type: "response.in_progress", response: at }, 1)
    );
  }

  /** The events of one piece, which was stored with this `seq`. */
  of(seq: number, events: readonly ItemEvent[]): string {
    let text = "";
    for (const event of events) text += this.#frame(event, this.#number(seq));
    return text;
  }

  end(seq: number, response: ResponseObject, end: AnswerEnd): string {
    return this.#frame({ type: endOf(end), response }, this.#number(seq));
  }

  /** The end of a stream that got none from its turn. */
  failed({ code, message }: { readonly code: string; readonly message: string }): string {
    const number = this.#number(this.#last.seq);
    return eventFrame("error", { type: "error", code, message, param: null, sequence_number: number });
  }

  #number(seq: number): number {
    this.#last = { seq, count: this.#last.seq === seq ? this.#last.count + 1 : 0 };
    return (seq - (this.#base ?? seq) + 1) * PER_EVENT + this.#last.count;
  }

  #frame(event: ItemEvent, number: number): string {
    return number <= this.#after ? "" : eventFrame(event.type, { ...event, sequence_number: number });
  }
}

/** The protocol has no event for a response that was cancelled: its status says so. */
function endOf(end: AnswerEnd): string {
  const status = statusOf(end);
  if (status === "cancelled") return "response.incomplete";
  return `response.${status}`;
}

/** A response whose events are kept no longer, from the messages of its task. Null for one that cannot be made from them. */
export async function fromMessages(
  calls: EngineCalls,
  place: AnswerPlace,
  turn: ShownTurn,
): Promise<ResponseObject | null> {
  if (place.afterSeq !== 0) return null;
  const { task_id: taskId, turn_id: turnId, agent, error, started_at: startedAt } = turn;
  const items = new ResponseItems({ turnId, isStructured: false });
  let tokens = { input: 0, output: 0, cached: 0 };
  let before: string | null = null;
  do {
    const query: Record<string, string> = { limit: "200", ...(before !== null && { before }) };
    const page: TaskMessages = await calls.call<TaskMessages>("listMessages", { path: { task_id: taskId }, query });
    const own = page.items.filter((message) => message.turn_id === turnId && message.role === "assistant");
    own.forEach(({ parts, usage }) => {
      if (usage) tokens = { input: usage.input_tokens, output: usage.output_tokens, cached: usage.cache_hit_tokens };
      parts.forEach((part, block) => {
        if (part.type !== "text" && part.type !== "reasoning") return;
        items.take({ seq: 0, kind: part.type, block, text: part.text });
        items.take({ seq: 0, kind: "block_end", block });
      });
    });
    ({ before } = own.length > 0 ? { before: null } : page);
  } while (before !== null);
  const sent = calls.sentWith(turnId);
  const head = responseHead(place, { taskId, agent, startedAt: Date.parse(startedAt), sent });
  const end: AnswerEnd =
    error === null
      ? { kind: "completed", output: null }
      : { kind: "failed", code: error, message: "the turn failed", details: undefined };
  return responseOf(head, { end, output: items.output, tokens });
}
