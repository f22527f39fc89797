import type { AttachmentRecord } from "../../contract/engine/attachment.ts";
import { camelRow } from "./database.ts";
import { Table } from "./table.ts";

export interface NewToolCall {
  readonly toolCallId: string;
  readonly tool: string;
  /** Null when the model's JSON was invalid; `rawInput` then has the text. */
  readonly input: Readonly<Record<string, unknown>> | null;
  readonly rawInput: string;
}

export interface ToolCallRow extends NewToolCall {
  readonly step: number;
  readonly state: "planned" | "started" | "finished";
  readonly output: unknown;
  readonly isError: boolean;
  /** Null without any. */
  readonly attachments: readonly AttachmentRecord[] | null;
}

/** The answer that requested the calls. A turn's own conversation has the thread "". */
export interface CallStep {
  readonly turnId: string;
  readonly thread: string;
  readonly step: number;
}

/** Tool calls of running turns and their progress, written before and after each call. Deleted when the turn ends. */
export class ToolCallTable extends Table {
  readonly #insert = this.db.prepare(
    `insert into tool_calls (turn_id, thread, step, tool_call_id, tool, input, raw_input, state)
     values (?, ?, ?, ?, ?, ?, ?, 'planned')`,
  );
  readonly #start = this.db.prepare("update tool_calls set state = 'started' where turn_id = ? and tool_call_id = ?");
  readonly #finish = this.db.prepare(
    "update tool_calls set state = 'finished', output = ?, is_error = ?, attachments = ? where turn_id = ? and tool_call_id = ?",
  );
  readonly #select = this.db.prepare("select * from tool_calls where turn_id = ? and thread = ? order by id");
  readonly #has = this.db.prepare("select 1 from tool_calls where turn_id = ? and tool_call_id = ?");
  readonly #forget = this.db.prepare("delete from tool_calls where turn_id = ?");

  plan({ turnId, thread, step }: CallStep, { toolCallId, tool, input, rawInput }: NewToolCall): void {
    this.#insert.run(turnId, thread, step, toolCallId, tool, input === null ? null : JSON.stringify(input), rawInput);
  }

  start(turnId: string, toolCallId: string): void {
    this.#start.run(turnId, toolCallId);
  }

  finish(
    turnId: string,
    toolCallId: string,
    {
      output,
      isError,
      attachments,
    }: Pick<ToolCallRow, "output" | "isError"> & { readonly attachments?: readonly AttachmentRecord[] },
  ): void {
    const files = attachments === undefined ? null : JSON.stringify(attachments);
    this.#finish.run(JSON.stringify(output ?? null), isError ? 1 : 0, files, turnId, toolCallId);
  }

  /** In request order. */
  ofThread(turnId: string, thread: string): ToolCallRow[] {
    return this.#select.all(turnId, thread).map((row) => ({
      ...(camelRow(row, "input", "output", "attachments") as ToolCallRow),
      isError: row["is_error"] === 1,
    }));
  }

  has(turnId: string, toolCallId: string): boolean {
    return this.#has.get(turnId, toolCallId) !== undefined;
  }

  forget(turnId: string): void {
    this.#forget.run(turnId);
  }
}
