import { newId } from "../../shared/ids.ts";
import type { Trust } from "./trust.ts";
import { camelRow } from "../store/database.ts";
import { Table } from "../store/table.ts";

/** A round of a conversation: a question and its answer. */
export interface Episode {
  readonly id: string;
  readonly taskId: string;
  readonly turnId: string;
  /** A short title. */
  readonly key: string;
  readonly description: string;
  readonly question: string;
  readonly answer: string;
  readonly importance: number;
  readonly source: string;
  readonly trust: Trust;
  readonly eventTime: number;
  readonly createdAt: number;
}

/** What learning improves: title, description, importance and search keys. */
export interface Refinement extends Pick<Episode, "key" | "description" | "importance"> {
  readonly keys: string;
}

export class EpisodeTable extends Table {
  readonly #insert = this.db.prepare(
    `insert into episodes (id, task_id, turn_id, key, description, question, answer, importance, source, trust, event_time, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #refine = this.db.prepare(
    "update episodes set key = ?, description = ?, importance = ?, keys = ? where id = ?",
  );
  readonly #ofTurn = this.db.prepare("select * from episodes where turn_id = ?");

  insert(episode: Omit<Episode, "id">): Episode {
    const id = newId("ep");
    const { taskId, turnId, key, description, question, answer } = episode;
    const { importance, source, trust, eventTime, createdAt } = episode;
    const texts = [key, description, question, answer] as const;
    this.#insert.run(id, taskId, turnId, ...texts, importance, source, trust, eventTime, createdAt);
    return { id, ...episode };
  }

  refine(id: string, { key, description, importance, keys }: Refinement): void {
    this.#refine.run(key, description, importance, keys, id);
  }

  ofTurn(turnId: string): Episode | null {
    const row = this.#ofTurn.get(turnId);
    return row === undefined ? null : (camelRow(row) as Episode);
  }
}
