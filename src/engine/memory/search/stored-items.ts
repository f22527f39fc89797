import type { Store } from "../../store/open-store.ts";
import { type IndexRange, indexRow, kindOf, numberOf, rangeOf } from "./index-rows.ts";
import type { IndexedItem } from "./indexed-item.ts";
import { TRUST } from "../trust.ts";

/** An indexed item, read from its own table. */
export interface StoredItem {
  readonly row: number;
  readonly id: string;
  readonly kind: IndexedItem["kind"];
  readonly key: string;
  /** For a round: the question and the answer. */
  readonly texts: readonly string[];
  /** More terms to find it by: the facts of a round and the names in it. */
  readonly keys: string;
  readonly source: string;
  readonly trust: number;
  readonly importance: number;
  readonly createdAt: number;
  readonly eventTime: number;
  /** When it was said; for a fact, when it was last said. */
  readonly statedAt: number;
  readonly validFrom: number | null;
  readonly validTo: number | null;
  /** When it was closed; null if it is current. */
  readonly recordedTo: number | null;
  /** Ids of source episodes; for a round its own. */
  readonly evidence: readonly string[];
  readonly taskId: string | null;
  readonly turnId: string | null;
}

type Row = Record<string, unknown>;

export class StoredItems {
  readonly #episode;
  readonly #fact;
  readonly #evidence;
  readonly #note;
  readonly #numberOfEpisode;
  readonly #numberOfFact;

  constructor({ db }: Store) {
    this.#episode = db.prepare("select * from episodes where number = ?");
    this.#fact = db.prepare("select * from knowledge where number = ?");
    this.#evidence = db.prepare(
      `select episodes.id, number, task_id, turn_id, event_time from knowledge_evidence join episodes on id = episode_id
       where knowledge_id = ? order by event_time desc limit 20`,
    );
    this.#note = db.prepare(
      `select working_memory.*, coalesce(min(trust, ${TRUST.model}), ${TRUST.model}) as trust
       from working_memory left join trajectories using (turn_id) where working_memory.id = ?`,
    );
    this.#numberOfEpisode = db.prepare("select number from episodes where id = ?");
    this.#numberOfFact = db.prepare("select number, recorded_to from knowledge where id = ?");
  }

  /** Null if it was deleted meanwhile. */
  read(row: number): StoredItem | null {
    const range = rangeOf(row);
    const select = range === "episode" ? this.#episode : range === "note" ? this.#note : this.#fact;
    const found = select.get(numberOf(row));
    if (found === undefined) return null;
    if (range === "episode") return this.#asEpisode(row, found);
    return range === "note" ? asNote(row, found) : this.#asFact(row, found);
  }

  /** The index row of an id; null if there is none. */
  rowOf(id: string): number | null {
    if (id.startsWith("note:")) return indexRow("note", Number(id.slice("note:".length)));
    const isFact = id.startsWith("kn_");
    const found = (isFact ? this.#numberOfFact : this.#numberOfEpisode).get(id);
    if (found === undefined) return null;
    const range: IndexRange = !isFact ? "episode" : found["recorded_to"] === null ? "fact" : "closed_fact";
    return indexRow(range, Number(found["number"]));
  }

  /** Rows of the rounds that a fact was learned from, the newest first. */
  evidenceRows(row: number): readonly number[] {
    const fact = this.#fact.get(numberOf(row));
    if (fact === undefined) return [];
    return this.#evidence.all(String(fact["id"])).map((one) => indexRow("episode", Number(one["number"])));
  }

  #asEpisode(row: number, found: Row): StoredItem {
    const id = String(found["id"]);
    return {
      ...common(row, found),
      id,
      key: String(found["key"]),
      texts: [String(found["question"]), String(found["answer"])],
      keys: String(found["keys"]),
      createdAt: Number(found["created_at"]),
      eventTime: Number(found["event_time"]),
      statedAt: Number(found["event_time"]),
      validFrom: null,
      validTo: null,
      recordedTo: null,
      evidence: [id],
      taskId: String(found["task_id"]),
      turnId: String(found["turn_id"]),
    };
  }

  #asFact(row: number, found: Row): StoredItem {
    const id = String(found["id"]);
    const evidence = this.#evidence.all(id);
    const [newest] = evidence;
    const validFrom = numberOrNull(found["valid_from"]);
    const statedAt = Number(newest?.["event_time"] ?? found["recorded_from"]);
    return {
      ...common(row, found),
      id,
      key: `${String(found["subject"])} ${String(found["predicate"])}`.trim(),
      texts: [String(found["content"])],
      keys: `${String(found["subject"])} ${String(found["object"])}`,
      createdAt: Number(found["recorded_from"]),
      eventTime: validFrom ?? statedAt,
      statedAt,
      validFrom,
      validTo: numberOrNull(found["valid_to"]),
      recordedTo: numberOrNull(found["recorded_to"]),
      evidence: evidence.map((one) => String(one["id"])),
      taskId: newest === undefined ? null : String(newest["task_id"]),
      turnId: newest === undefined ? null : String(newest["turn_id"]),
    };
  }
}

const common = (row: number, found: Row) => ({
  row,
  kind: kindOf(row),
  source: String(found["source"]),
  trust: Number(found["trust"]),
  importance: Number(found["importance"]),
});

/** A note has at most the trust of a model, and of its turn once that has ended. */
const asNote = (row: number, found: Row): StoredItem => ({
  ...common(row, { ...found, source: "assistant", importance: 3 }),
  id: `note:${String(found["id"])}`,
  key: String(found["entry_type"]),
  texts: [String(found["content"])],
  keys: "",
  createdAt: Number(found["created_at"]),
  eventTime: Number(found["created_at"]),
  statedAt: Number(found["created_at"]),
  validFrom: null,
  validTo: null,
  recordedTo: null,
  evidence: [],
  taskId: String(found["task_id"]),
  turnId: String(found["turn_id"]),
});

const numberOrNull = (value: unknown): number | null => (value === null ? null : Number(value));
