import type { LoginOutcome } from "../../contract/engine/tool-login.ts";
import type { PendingRequest } from "../../contract/engine/human-request.ts";
import { isoTime } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import type { HumanAnswer, HumanRequest } from "../agent/turn-context.ts";
import { EngineError } from "../engine-error.ts";
import type { HitlRow, HitlTable } from "../store/hitl-requests.ts";
import { AwaitedAnswers, type Unanswered } from "./awaited-answers.ts";
import type { EventJournal } from "./event-journal.ts";
import type { Slot } from "./task-slots.ts";

type RequestIds = Pick<HitlRow, "requestId" | "taskId" | "turnId">;

/**
 * Open requests of turns to humans. A request is stored with its event (I1) and answered once. It survives a restart:
 * the resumed turn finds the same request, or its answer.
 */
export class HumanRequests {
  readonly #table: HitlTable;
  readonly #journal: EventJournal;
  readonly #awaited: AwaitedAnswers<HumanAnswer>;
  /** Number of questions per tool call in this process. */
  readonly #asked = new Map<string, number>();

  /** `ttlMs`: time to answer; null for no limit. */
  constructor(table: HitlTable, journal: EventJournal, { ttlMs = null }: { readonly ttlMs?: number | null } = {}) {
    this.#table = table;
    this.#journal = journal;
    this.#awaited = new AwaitedAnswers<HumanAnswer>({ ttlMs, unanswered: { kind: "expired" } });
  }

  /** Asks and waits for the answer. Rejects with the abort reason when the turn ends first. */
  async ask(slot: Slot, question: HumanRequest): Promise<HumanAnswer> {
    slot.signal.throwIfAborted();
    question.signal?.throwIfAborted();
    const row = this.#earlier(slot.turnId, question) ?? this.#open(slot, question);
    if (row.answer !== null) return row.closedByEngine ? { kind: "expired" } : { kind: "answered", answer: row.answer };
    return this.#awaited.wait(slot, {
      id: row.requestId,
      createdAt: row.createdAt,
      begin: () => slot.waitForHuman(),
      close: (reason) => this.#close(row, reason),
      signal: question.signal,
    });
  }

  /** Stores a human's answer. The same answer again succeeds; a different one throws `HITL_ALREADY_ANSWERED`. */
  answer(requestId: string, answer: string): void {
    const row = this.#table.find(requestId);
    if (row === null) throw new EngineError("HITL_NOT_FOUND", "no request has this request_id");
    if (!row.allowFreeText && !row.options.includes(answer)) {
      throw new EngineError("INVALID_REQUEST", `answer: expected one of ${row.options.join(", ")}`, {
        options: row.options,
      });
    }
    if (row.answer === null) {
      this.#resolve(row, answer, { closedByEngine: false });
      this.#awaited.answered(requestId, { kind: "answered", answer });
    } else if (row.answer !== answer || row.closedByEngine) {
      throw new EngineError("HITL_ALREADY_ANSWERED", "the request already has a different answer", {
        answer: row.answer,
      });
    }
  }

  /** Answers the open questions that ask for a login at a tool server. */
  answerLogins(server: string, answer: LoginOutcome): void {
    for (const { kind, context, requestId } of this.#table.open())
      if (kind === "login" && context["server"] === server) this.answer(requestId, answer);
  }

  /** The task of a request; null for an unknown one. */
  taskOf(requestId: string): string | null {
    return this.#table.find(requestId)?.taskId ?? null;
  }

  pending(): PendingRequest[] {
    return this.#table.open().map((row) => ({
      request_id: row.requestId,
      kind: row.kind,
      question: row.question,
      context: contextOf(row),
      options: row.options,
      task_id: row.taskId,
      turn_id: row.turnId,
      created_at: isoTime(row.createdAt),
    }));
  }

  get waiting(): number {
    return this.#awaited.size;
  }

  /** Whether a turn has an open request in the store. */
  waitsFor(turnId: string): boolean {
    return this.#table.open(turnId).length > 0;
  }

  /** The id of a turn's oldest open request. */
  oldestOf(turnId: string): string | null {
    return this.#table.open(turnId)[0]?.requestId ?? null;
  }

  /** Closes the open requests of an ended turn. */
  closeAll(turnId: string): void {
    for (const row of this.#table.open(turnId)) this.#close(row, "cancelled");
    for (const key of this.#asked.keys()) if (key.startsWith(`${turnId} `)) this.#asked.delete(key);
  }

  /** Closes the open requests of a finished call. */
  closeOf(turnId: string, toolCallId: string): void {
    for (const row of this.#table.ofCall(turnId, toolCallId)) if (row.answer === null) this.#close(row, "cancelled");
  }

  /** The earlier request of a call that runs again after a restart, with its answer if it has one. */
  #earlier(turnId: string, { toolCallId, kind, question }: HumanRequest): HitlRow | null {
    const key = `${turnId} ${toolCallId}`;
    const nth = this.#asked.get(key) ?? 0;
    this.#asked.set(key, nth + 1);
    const row = this.#table.ofCall(turnId, toolCallId)[nth];
    if (row === undefined) return null;
    if (row.kind === kind && row.question === question) return row;
    this.#close(row, "cancelled");
    return null;
  }

  #open({ taskId, turnId }: Slot, question: HumanRequest): HitlRow {
    const requestId = `hitl-${newId("q").slice(2)}`;
    const row = { requestId, taskId, turnId, createdAt: Date.now(), ...question };
    const { kind, options } = question;
    const data = { request_id: requestId, kind, question: question.question, context: contextOf(question), options };
    this.#journal.commitEvent({ taskId, turnId, event: { event: "hitl_request", data } }, () =>
      this.#table.insert(row),
    );
    return { ...row, answer: null, closedByEngine: false, resolvedAt: null };
  }

  #close(row: RequestIds, answer: Unanswered): void {
    if (this.#table.find(row.requestId)?.answer === null) this.#resolve(row, answer, { closedByEngine: true });
  }

  #resolve(
    { requestId, taskId, turnId }: RequestIds,
    answer: string,
    { closedByEngine }: { readonly closedByEngine: boolean },
  ): void {
    const event = { event: "hitl_resolved", data: { request_id: requestId, answer } } as const;
    this.#journal.commitEvent({ taskId, turnId, event }, () =>
      this.#table.resolve(requestId, { answer, closedByEngine, resolvedAt: Date.now() }),
    );
  }
}

export const contextOf = ({
  context,
  toolCallId,
  allowFreeText,
}: Pick<HumanRequest, "context" | "toolCallId" | "allowFreeText">) => ({
  ...context,
  tool_call_id: toolCallId,
  allow_free_text: allowFreeText,
});
