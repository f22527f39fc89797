import { newId } from "../../shared/ids.ts";
import type { Store } from "../store/open-store.ts";
import type { Trust } from "./trust.ts";

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

export class EpisodeTable {
  readonly #insert;
  readonly #refine;
  readonly #ofTurn;

  constructor({ db }: Store) {
    this.#insert = db.prepare(
      `insert into episodes (id, task_id, turn_id, key, description, question, answer, importance, source, trust, event_time, created_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#refine = db.prepare("update episodes set key = ?, description = ?, importance = ?, keys = ? where id = ?");
    this.#ofTurn = db.prepare("select * from episodes where turn_id = ?");
  }

  insert(episode: Omit<Episode, "id">): Episode {
    const id = newId("ep");
    const { taskId, turnId, key, description, question, answer } = episode;
    const { importance, source, trust, eventTime, createdAt } = episode;
    const words = [key, description, question, answer] as const;
    this.#insert.run(id, taskId, turnId, ...words, importance, source, trust, eventTime, createdAt);
    return { id, ...episode };
  }

  refine(id: string, { key, description, importance, keys }: Refinement): void {
    this.#refine.run(key, description, importance, keys, id);
  }

  ofTurn(turnId: string): Episode | null {
    const row = this.#ofTurn.get(turnId);
    return row === undefined ? null : episodeOf(row);
  }
}

const episodeOf = (row: Record<string, unknown>): Episode => ({
  id: String(row["id"]),
  taskId: String(row["task_id"]),
  turnId: String(row["turn_id"]),
  key: String(row["key"]),
  description: String(row["description"]),
  question: String(row["question"]),
  answer: String(row["answer"]),
  importance: Number(row["importance"]),
  source: String(row["source"]),
  trust: Number(row["trust"]) as Trust,
  eventTime: Number(row["event_time"]),
  createdAt: Number(row["created_at"]),
});
