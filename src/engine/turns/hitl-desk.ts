import type { PendingRequest } from "../../contract/engine-api.ts";
import { isoTime } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import type { HumanRequest } from "../agent/turn-context.ts";
import { EngineError } from "../engine-error.ts";
import type { HitlRow, HitlTable } from "../store/hitl-requests.ts";
import type { EventJournal } from "./event-journal.ts";
import type { Slot } from "./task-slots.ts";

/** Where turns wait for people. A question is stored before it is told, and answered once. */
export class HitlDesk {
  readonly #table: HitlTable;
  readonly #journal: EventJournal;
  readonly #waiting = new Map<string, (answer: string) => void>();

  constructor(table: HitlTable, journal: EventJournal) {
    this.#table = table;
    this.#journal = journal;
  }

  /** Asks and waits, however long; rejects with the abort's reason when the turn ends first. */
  async ask(slot: Slot, question: HumanRequest): Promise<string> {
    slot.signal.throwIfAborted();
    const { taskId, turnId } = slot;
    const requestId = `hitl-${newId("q").slice(2)}`;
    this.#table.insert({ requestId, taskId, turnId, createdAt: Date.now(), ...question });
    const answered = Promise.withResolvers<string>();
    this.#waiting.set(requestId, answered.resolve);
    const { kind, options } = question;
    const context = { ...question.context, tool_call_id: question.toolCallId, allow_free_text: question.allowFreeText };
    this.#journal.append(taskId, turnId, {
      event: "hitl_request",
      data: { request_id: requestId, kind, question: question.question, context, options },
    });
    const resume = slot.waitForHuman();
    const giveUp = () => answered.reject(slot.signal.reason);
    slot.signal.addEventListener("abort", giveUp, { once: true });
    try {
      return await answered.promise;
    } catch (error) {
      this.#close(requestId, slot, "cancelled");
      throw error;
    } finally {
      resume();
      slot.signal.removeEventListener("abort", giveUp);
      this.#waiting.delete(requestId);
    }
  }

  /** A person's answer: the first counts, the same again is welcome, another one is too late. */
  answer(requestId: string, answer: string): void {
    const row = this.#table.find(requestId);
    if (row === null) throw new EngineError("HITL_NOT_FOUND", "no request has this request_id");
    if (!row.allowFreeText && !row.options.includes(answer)) {
      throw new EngineError("INVALID_REQUEST", `answer: expected one of ${row.options.join(", ")}`, {
        options: row.options,
      });
    }
    if (this.#table.resolve(requestId, answer, Date.now())) {
      this.#tell(row, answer);
      this.#waiting.get(requestId)?.(answer);
      return;
    }
    const before = this.#table.find(requestId)?.answer ?? null;
    if (before !== answer) {
      throw new EngineError("HITL_ALREADY_ANSWERED", "the request has been answered otherwise", { answer: before });
    }
  }

  pending(): PendingRequest[] {
    return this.#table.open().map((row) => ({
      request_id: row.requestId,
      kind: row.kind,
      question: row.question,
      context: { ...row.context, tool_call_id: row.toolCallId, allow_free_text: row.allowFreeText },
      options: row.options,
      task_id: row.taskId,
      turn_id: row.turnId,
      created_at: isoTime(row.createdAt),
    }));
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Closes what a turn that is over left open, so that nobody is asked in vain. */
  closeAll(turnId: string): void {
    for (const row of this.#table.open(turnId)) this.#close(row.requestId, row, "cancelled");
  }

  #close(requestId: string, { taskId, turnId }: Pick<HitlRow, "taskId" | "turnId">, answer: string): void {
    if (this.#table.resolve(requestId, answer, Date.now())) this.#tell({ requestId, taskId, turnId }, answer);
  }

  #tell({ requestId, taskId, turnId }: Pick<HitlRow, "requestId" | "taskId" | "turnId">, answer: string): void {
    this.#journal.append(taskId, turnId, { event: "hitl_resolved", data: { request_id: requestId, answer } });
  }
}
