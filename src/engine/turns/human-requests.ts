import type { PendingRequest } from "../../contract/engine-api.ts";
import { isoTime } from "../../shared/clock.ts";
import { newId } from "../../shared/ids.ts";
import type { HumanAnswer, HumanRequest } from "../agent/turn-context.ts";
import { EngineError } from "../engine-error.ts";
import type { HitlRow, HitlTable } from "../store/hitl-requests.ts";
import type { EventJournal } from "./event-journal.ts";
import { type Slot, TurnParked } from "./task-slots.ts";

/** What a request is closed by that no person has answered. */
const CANCELLED = "cancelled";
const EXPIRED = "expired";

type Place = Pick<HitlRow, "requestId" | "taskId" | "turnId">;

/**
 * Where turns wait for people. A question is stored together with the event that tells it, and answered once. It
 * outlives the engine: a turn that goes on after a restart finds its question again, or the answer.
 */
export class HumanRequests {
  readonly #table: HitlTable;
  readonly #journal: EventJournal;
  readonly #ttlMs: number | null;
  readonly #waiting = new Map<string, (answer: HumanAnswer) => void>();
  /** How many questions each call has asked in this process. */
  readonly #asked = new Map<string, number>();

  /** `ttlMs`: how long a person has to answer; null: as long as they like. */
  constructor(table: HitlTable, journal: EventJournal, { ttlMs = null }: { readonly ttlMs?: number | null } = {}) {
    this.#table = table;
    this.#journal = journal;
    this.#ttlMs = ttlMs;
  }

  /** Asks and waits; rejects with the abort's reason when the turn ends first. */
  async ask(slot: Slot, question: HumanRequest): Promise<HumanAnswer> {
    slot.signal.throwIfAborted();
    question.signal?.throwIfAborted();
    const row = this.#earlier(slot.turnId, question) ?? this.#open(slot, question);
    if (row.answer !== null) return row.lapsed ? { kind: "expired" } : { kind: "answered", answer: row.answer };
    const answered = Promise.withResolvers<HumanAnswer>();
    this.#waiting.set(row.requestId, answered.resolve);
    const resume = slot.waitForHuman();
    const giveUp = () => answered.reject(slot.signal.reason);
    slot.signal.addEventListener("abort", giveUp, { once: true });
    const lapse = (how: typeof CANCELLED | typeof EXPIRED) => {
      // A turn that is over closes its questions itself, or leaves them for the next start.
      if (!slot.signal.aborted) this.#lapse(row, how, answered);
    };
    const withdraw = () => lapse(CANCELLED);
    question.signal?.addEventListener("abort", withdraw, { once: true });
    const expiry = this.#expireLater(row, () => lapse(EXPIRED));
    try {
      return await answered.promise;
    } catch (error) {
      if (!(error instanceof TurnParked)) this.#close(row, CANCELLED);
      throw error;
    } finally {
      clearTimeout(expiry);
      resume();
      slot.signal.removeEventListener("abort", giveUp);
      question.signal?.removeEventListener("abort", withdraw);
      this.#waiting.delete(row.requestId);
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
    if (row.answer === null) {
      this.#resolve(row, answer, { lapsed: false });
      this.#waiting.get(requestId)?.({ kind: "answered", answer });
    } else if (row.answer !== answer || row.lapsed) {
      throw new EngineError("HITL_ALREADY_ANSWERED", "the request has been answered otherwise", { answer: row.answer });
    }
  }

  pending(): PendingRequest[] {
    return this.#table.open().map((row) => ({
      request_id: row.requestId,
      kind: row.kind,
      question: row.question,
      context: told(row),
      options: row.options,
      task_id: row.taskId,
      turn_id: row.turnId,
      created_at: isoTime(row.createdAt),
    }));
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether a turn waits for a person, as far as the store knows. */
  waitsFor(turnId: string): boolean {
    return this.#table.open(turnId).length > 0;
  }

  /** Closes what a turn that is over left open, so that nobody is asked in vain. */
  closeAll(turnId: string): void {
    for (const row of this.#table.open(turnId)) this.#close(row, CANCELLED);
    for (const key of this.#asked.keys()) if (key.startsWith(`${turnId} `)) this.#asked.delete(key);
  }

  /** Closes what a call that has its result left open. */
  closeOf(turnId: string, toolCallId: string): void {
    for (const row of this.#table.ofCall(turnId, toolCallId)) if (row.answer === null) this.#close(row, CANCELLED);
  }

  /** A call that runs again after a restart asks what it asked before: the same request, and its answer if it has one. */
  #earlier(turnId: string, { toolCallId, kind, question }: HumanRequest): HitlRow | null {
    const key = `${turnId} ${toolCallId}`;
    const nth = this.#asked.get(key) ?? 0;
    this.#asked.set(key, nth + 1);
    const row = this.#table.ofCall(turnId, toolCallId)[nth];
    if (row === undefined) return null;
    if (row.kind === kind && row.question === question) return row;
    this.#close(row, CANCELLED);
    return null;
  }

  #open({ taskId, turnId }: Slot, question: HumanRequest): HitlRow {
    const requestId = `hitl-${newId("q").slice(2)}`;
    const row = { requestId, taskId, turnId, createdAt: Date.now(), ...question };
    const { kind, options } = question;
    const data = { request_id: requestId, kind, question: question.question, context: told(question), options };
    this.#journal.keepTold({ taskId, turnId, event: { event: "hitl_request", data } }, () => this.#table.insert(row));
    return { ...row, answer: null, lapsed: false, resolvedAt: null };
  }

  /** The time runs from when it was asked, over restarts. */
  #expireLater({ createdAt }: HitlRow, expire: () => void): NodeJS.Timeout | undefined {
    if (this.#ttlMs === null) return undefined;
    return setTimeout(expire, Math.max(0, createdAt + this.#ttlMs - Date.now())).unref();
  }

  #lapse(row: Place, how: typeof CANCELLED | typeof EXPIRED, waiting: PromiseWithResolvers<HumanAnswer>): void {
    try {
      this.#close(row, how);
      waiting.resolve({ kind: "expired" });
    } catch (error) {
      waiting.reject(error);
    }
  }

  #close(row: Place, answer: typeof CANCELLED | typeof EXPIRED): void {
    if (this.#table.find(row.requestId)?.answer === null) this.#resolve(row, answer, { lapsed: true });
  }

  #resolve({ requestId, taskId, turnId }: Place, answer: string, { lapsed }: { readonly lapsed: boolean }): void {
    const event = { event: "hitl_resolved", data: { request_id: requestId, answer } } as const;
    this.#journal.keepTold({ taskId, turnId, event }, () =>
      this.#table.resolve(requestId, { answer, lapsed, resolvedAt: Date.now() }),
    );
  }
}

const told = ({
  context,
  toolCallId,
  allowFreeText,
}: Pick<HumanRequest, "context" | "toolCallId" | "allowFreeText">) => ({
  ...context,
  tool_call_id: toolCallId,
  allow_free_text: allowFreeText,
});
