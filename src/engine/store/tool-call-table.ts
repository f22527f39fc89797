import type { Store } from "./open-store.ts";

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
}

/** The answer that requested the calls. A turn's own conversation has the thread "". */
export interface CallPlace {
  readonly turnId: string;
  readonly thread: string;
  readonly step: number;
}

/** Tool calls of running turns and their progress, written before and after each call. Deleted when the turn ends. */
export class ToolCallTable {
  readonly #insert;
  readonly #start;
  readonly #finish;
  readonly #select;
  readonly #has;
  readonly #forget;

  constructor({ db }: Store) {
    this.#insert = db.prepare(
      `insert into tool_calls (turn_id, thread, step, tool_call_id, tool, input, raw_input, state)
       values (?, ?, ?, ?, ?, ?, ?, 'planned')`,
    );
    this.#start = db.prepare("update tool_calls set state = 'started' where turn_id = ? and tool_call_id = ?");
    this.#finish = db.prepare(
      "update tool_calls set state = 'finished', output = ?, is_error = ? where turn_id = ? and tool_call_id = ?",
    );
    this.#select = db.prepare("select * from tool_calls where turn_id = ? and thread = ? order by id");
    this.#has = db.prepare("select 1 from tool_calls where turn_id = ? and tool_call_id = ?");
    this.#forget = db.prepare("delete from tool_calls where turn_id = ?");
  }

  plan({ turnId, thread, step }: CallPlace, { toolCallId, tool, input, rawInput }: NewToolCall): void {
    this.#insert.run(turnId, thread, step, toolCallId, tool, input === null ? null : JSON.stringify(input), rawInput);
  }

  start(turnId: string, toolCallId: string): void {
    this.#start.run(turnId, toolCallId);
  }

  finish(
    turnId: string,
    toolCallId: string,
    { output, isError }: { readonly output: unknown; readonly isError: boolean },
  ): void {
    this.#finish.run(JSON.stringify(output ?? null), isError ? 1 : 0, turnId, toolCallId);
  }

  /** In request order. */
  ofThread(turnId: string, thread: string): ToolCallRow[] {
    return this.#select.all(turnId, thread).map((row) => ({
      step: Number(row["step"]),
      toolCallId: String(row["tool_call_id"]),
      tool: String(row["tool"]),
      input: row["input"] === null ? null : (JSON.parse(String(row["input"])) as Record<string, unknown>),
      rawInput: String(row["raw_input"]),
      state: row["state"] as ToolCallRow["state"],
      output: row["output"] === null ? null : (JSON.parse(String(row["output"])) as unknown),
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
