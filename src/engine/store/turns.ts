import type { Store } from "./open-store.ts";

export interface NewTurn {
  readonly turnId: string;
  readonly taskId: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly startedAt: number;
}

export interface EndedTurn {
  readonly turnId: string;
  readonly message: string;
  readonly errorCode: string | null;
}

export class TurnTable {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Throws when the task has a running turn: the index decides, not a look before. */
  insert({ turnId, taskId, message, metadata, startedAt }: NewTurn): void {
    this.#store.db
      .prepare(
        "insert into turns (turn_id, task_id, state, message, metadata, started_at) values (?, ?, 'running', ?, ?, ?)",
      )
      .run(turnId, taskId, message, JSON.stringify(metadata), startedAt);
  }

  end(turnId: string, { errorCode, endedAt }: { readonly errorCode: string | null; readonly endedAt: number }): void {
    this.#store.db
      .prepare("update turns set state = ?, error_code = ?, ended_at = ? where turn_id = ? and state = 'running'")
      .run(errorCode === null ? "completed" : "errored", errorCode, endedAt, turnId);
  }

  /** Turns that a process before this one left running. */
  running(): { readonly turnId: string; readonly taskId: string }[] {
    return this.#store.db
      .prepare("select turn_id as turnId, task_id as taskId from turns where state = 'running' order by started_at")
      .all() as unknown as { turnId: string; taskId: string }[];
  }

  /** The task's last turn that has ended; null for a new task. */
  lastEnded(taskId: string): EndedTurn | null {
    const row = this.#store.db
      .prepare(
        `select turn_id as turnId, message, error_code as errorCode from turns
         where task_id = ? and state <> 'running' order by started_at desc, turn_id desc limit 1`,
      )
      .get(taskId) as unknown as EndedTurn | undefined;
    return row ?? null;
  }

  state(turnId: string): "running" | "completed" | "errored" | null {
    const row = this.#store.db.prepare("select state from turns where turn_id = ?").get(turnId);
    return (row?.["state"] as "running" | "completed" | "errored" | undefined) ?? null;
  }
}
