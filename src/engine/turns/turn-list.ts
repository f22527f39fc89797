import { DEFAULT_AGENT } from "../../contract/engine/requests.ts";
import type { ShownTurn, TurnPage, TurnRecord } from "../../contract/engine/turn.ts";
import { isoTime } from "../../shared/clock.ts";
import type { TurnRequest, TurnRow, TurnTable } from "../store/turns.ts";
import type { TaskSlots } from "./task-slots.ts";

const SHOWN_MESSAGE = 500;

/** The turns of an engine, the newest first. */
export class TurnList {
  readonly #turns: TurnTable;
  readonly #slots: Pick<TaskSlots, "get">;

  constructor({ turns, slots }: { readonly turns: TurnTable; readonly slots: Pick<TaskSlots, "get"> }) {
    this.#turns = turns;
    this.#slots = slots;
  }

  /** `before`: the cursor of the previous page; null for the first page. */
  page({
    taskId,
    before,
    limit,
  }: {
    readonly taskId: string | undefined;
    readonly before: number | null;
    readonly limit: number;
  }): TurnPage {
    const rows = this.#turns.page({ taskId: taskId ?? null, before, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      items: shown.map((row) => this.#record(row)),
      next_cursor: rows.length > limit && last !== undefined ? String(last.rowId) : null,
    };
  }

  /** With its result. Null for a turn that is not stored. */
  find(turnId: string): ShownTurn | null {
    const row = this.#turns.find(turnId);
    if (row === null) return null;
    const output = this.#turns.outputOf(turnId);
    return { ...this.#record(row), ...(output !== null && { output }) };
  }

  /** What its message was sent with. Null for a turn that is not stored. */
  sentWith(turnId: string): TurnRequest | null {
    return this.#turns.requestOf(turnId);
  }

  #record({ turnId, taskId, state, errorCode, agent, message, startedAt, endedAt }: TurnRow): TurnRecord {
    const isWaiting = state === "running" && this.#slots.get(taskId)?.state === "waiting_for_human";
    return {
      turn_id: turnId,
      task_id: taskId,
      state: isWaiting ? "waiting_for_human" : state,
      error: errorCode,
      agent: agent ?? DEFAULT_AGENT,
      message: message.length <= SHOWN_MESSAGE ? message : `${message.slice(0, SHOWN_MESSAGE).toWellFormed()}…`,
      started_at: isoTime(startedAt),
      ended_at: endedAt === null ? null : isoTime(endedAt),
    };
  }
}
