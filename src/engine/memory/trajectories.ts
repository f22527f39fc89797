import type { TrajectoryStep } from "../../contract/engine/memory.ts";
import { newId } from "../../shared/ids.ts";
import type { Trust } from "./trust.ts";
import { camelRow } from "../store/database.ts";
import { Table } from "../store/table.ts";

/** The tool calls and outcome of a turn. */
export interface Trajectory {
  readonly number: number;
  readonly id: string;
  readonly taskId: string;
  readonly turnId: string;
  readonly outcome: "completed" | "errored";
  readonly errorCode: string | null;
  readonly steps: readonly TrajectoryStep[];
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly cacheHitTokens: number };
  readonly trust: Trust;
  readonly durationMs: number;
  readonly createdAt: number;
}

/** One trajectory a turn. Learning batches read them in order. */
export class TrajectoryTable extends Table {
  readonly #insert = this.db.prepare(
    `insert into trajectories (id, task_id, turn_id, outcome, error_code, steps, usage, trust, duration_ms, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #lastTrust = this.db.prepare(
    "select trust from trajectories where task_id = ? order by number desc limit 1",
  );
  readonly #unlearned = this.db.prepare("select * from trajectories where batch_id is null order by number limit ?");
  readonly #countUnlearned = this.db.prepare("select count(*) as count from trajectories where batch_id is null");
  readonly #markLearned = this.db.prepare("update trajectories set batch_id = ? where number = ? and batch_id is null");

  insert(trajectory: Omit<Trajectory, "id" | "number">): void {
    const { taskId, turnId, outcome, errorCode, steps, usage, trust, durationMs, createdAt } = trajectory;
    const json = [JSON.stringify(steps), JSON.stringify(usage)] as const;
    this.#insert.run(newId("tr"), taskId, turnId, outcome, errorCode, ...json, trust, durationMs, createdAt);
  }

  /** Trust of the task's last turn; null for a new task. */
  trustOf(taskId: string): Trust | null {
    return (this.#lastTrust.get(taskId)?.["trust"] as Trust | undefined) ?? null;
  }

  /** Trajectories that no batch has read, the oldest first. */
  unlearned(limit: number): readonly Trajectory[] {
    return this.#unlearned.all(limit).map((row) => camelRow(row, "steps", "usage") as Trajectory);
  }

  countUnlearned(): number {
    return Number(this.#countUnlearned.get()?.["count"]);
  }

  /** False if a batch has read it before. */
  markLearned(number: number, batchId: string): boolean {
    return this.#markLearned.run(batchId, number).changes === 1;
  }
}
