import { isDeepStrictEqual } from "node:util";
import type { PendingToolCall } from "../../contract/engine/client-tool.ts";
import { isoTime } from "../../shared/clock.ts";
import type { ClientCall, ClientCallEnd } from "../agent/turn-context.ts";
import { EngineError } from "../engine-error.ts";
import type { ClientCallAnswer, ClientCallClosed, ClientCallRow, ClientCallTable } from "../store/client-call-table.ts";
import { AwaitedAnswers } from "./awaited-answers.ts";
import type { EventJournal } from "./event-journal.ts";
import type { Slot } from "./task-slots.ts";

interface ClientCallsOptions {
  /** Time to answer; null for no limit. */
  readonly ttlMs?: number | null;
  /** What is wrong with an output, by the path of it; null when it matches the schema. */
  readonly checkOutput: (schema: Readonly<Record<string, unknown>>, output: unknown) => string | null;
}

/**
 * Open calls of tools that the client runs. A call is stored with its event (I1) and answered once. It survives a
 * restart: the resumed turn finds the same call, or its answer. A turn may have several open at once.
 */
export class ClientCalls {
  readonly #table: ClientCallTable;
  readonly #journal: EventJournal;
  readonly #options: ClientCallsOptions;
  readonly #awaited: AwaitedAnswers<ClientCallEnd>;

  constructor(table: ClientCallTable, journal: EventJournal, options: ClientCallsOptions) {
    this.#table = table;
    this.#journal = journal;
    this.#options = options;
    this.#awaited = new AwaitedAnswers<ClientCallEnd>({
      ttlMs: options.ttlMs ?? null,
      unanswered: { kind: "expired" },
    });
  }

  /** Opens the call and waits for its end. Rejects with the abort reason when the turn ends first. */
  async run(slot: Slot, call: ClientCall): Promise<ClientCallEnd> {
    slot.signal.throwIfAborted();
    const row = this.#table.find(call.toolCallId) ?? this.#open(slot, call);
    const earlier = endOf(row);
    if (earlier !== null) return earlier;
    return this.#awaited.wait(slot, {
      id: row.toolCallId,
      createdAt: row.createdAt,
      begin: () => slot.waitForClient(),
      close: (reason) => this.#close(row.toolCallId, reason),
    });
  }

  /** Stores the client's answer. The same answer again succeeds; a different one throws `TOOL_ALREADY_ANSWERED`. */
  answer(toolCallId: string, answer: ClientCallAnswer): void {
    const row = this.#table.find(toolCallId);
    if (row === null) throw new EngineError("NOT_FOUND", "tool_call_id: no call of a client's tool has this id");
    if (row.closedAs !== null)
      throw new EngineError("TOOL_ALREADY_ANSWERED", `the call waits no longer: it was ${row.closedAs}`);
    if (row.answer !== null) {
      if (isDeepStrictEqual(row.answer, answer)) return;
      throw new EngineError("TOOL_ALREADY_ANSWERED", "the call already has a different answer");
    }
    if ("output" in answer && row.outputSchema !== null) {
      const problem = this.#options.checkOutput(row.outputSchema, answer.output);
      if (problem !== null) throw new EngineError("INVALID_REQUEST", problem);
    }
    this.#journal.commit(() => this.#table.resolve(toolCallId, { answer }, Date.now()));
    this.#awaited.answered(toolCallId, { kind: "answered", answer });
  }

  /** The task of a call; null for an unknown one. */
  taskOf(toolCallId: string): string | null {
    return this.#table.find(toolCallId)?.taskId ?? null;
  }

  pending(): readonly PendingToolCall[] {
    return this.#table.open().map((row) => ({
      tool_call_id: row.toolCallId,
      tool: row.tool,
      input: { ...row.input },
      ...(row.agent !== null && { agent: row.agent }),
      ...(row.parentToolCallId !== null && { parent_tool_call_id: row.parentToolCallId }),
      task_id: row.taskId,
      turn_id: row.turnId,
      created_at: isoTime(row.createdAt),
    }));
  }

  /** Whether a turn has an open call in the store. */
  waitsFor(turnId: string): boolean {
    return this.#table.open(turnId).length > 0;
  }

  /** The id of a turn's oldest open call. */
  oldestOf(turnId: string): string | null {
    return this.#table.open(turnId)[0]?.toolCallId ?? null;
  }

  /** Closes the open calls of an ended turn. */
  closeAll(turnId: string): void {
    for (const { toolCallId } of this.#table.open(turnId)) this.#close(toolCallId, "cancelled");
  }

  /** Closes a call that has its result without an answer, if it is one of these. */
  closeOf(toolCallId: string): void {
    const row = this.#table.find(toolCallId);
    if (row !== null && endOf(row) === null) this.#close(toolCallId, "cancelled");
  }

  #open({ taskId, turnId }: Slot, { announce, agent, parentToolCallId, ...call }: ClientCall): ClientCallRow {
    const from = { agent: agent ?? null, parentToolCallId: parentToolCallId ?? null };
    const row = { ...call, ...from, taskId, turnId, createdAt: Date.now() };
    // The event is pending from here on, so the transaction of the row stores both.
    announce();
    this.#journal.commit(() => this.#table.insert(row));
    return { ...row, answer: null, closedAs: null };
  }

  #close(toolCallId: string, closedAs: ClientCallClosed): void {
    this.#journal.commit(() => this.#table.resolve(toolCallId, { closedAs }, Date.now()));
  }
}

/** Null for an open call. A cancelled one belongs to an ended turn, or to a call that has its result. */
function endOf({ answer, closedAs }: ClientCallRow): ClientCallEnd | null {
  if (answer !== null) return { kind: "answered", answer };
  return closedAs === null ? null : { kind: "expired" };
}
