import { camelRow } from "../../store/database.ts";
import { MessageTable } from "../../store/messages.ts";
import { Table } from "../../store/table.ts";
import { TRUST } from "../trust.ts";
import { type IndexRange, type ItemKind, indexRow, kindOf, numberOf, rangeOf } from "./index-rows.ts";

/** An indexed item, read from its own table. */
export interface StoredItem {
  readonly row: number;
  readonly id: string;
  readonly kind: ItemKind;
  readonly key: string;
  /** For a round: the question and the answer. */
  readonly texts: readonly string[];
  readonly source: string;
  readonly trust: number;
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

/** The newest rounds that a fact was learned from. */
const EVIDENCE = `from knowledge_evidence join episodes on episodes.id = episode_id
  where knowledge_id = knowledge.id order by event_time desc`;

const FACT = `select knowledge.id as id, trim(subject || ' ' || predicate) as key, content as text, null as more,
    knowledge.source as source, knowledge.trust as trust, recorded_from as created_at,
    coalesce(valid_from, newest.event_time, recorded_from) as event_time,
    coalesce(newest.event_time, recorded_from) as stated_at, valid_from, valid_to, recorded_to,
    (select json_group_array(id) from (select episodes.id as id ${EVIDENCE} limit 20)) as evidence,
    newest.task_id as task_id, newest.turn_id as turn_id
  from knowledge left join episodes newest on newest.id = (select episodes.id ${EVIDENCE} limit 1)
  where knowledge.number = ?`;

/** How each kind is read from its own table. A note has at most the trust of a model, and of its turn once that ended. */
const SELECTS: Readonly<Record<IndexRange, string>> = {
  episode: `select id, key, question as text, answer as more, source, trust, created_at, event_time,
      event_time as stated_at, null as valid_from, null as valid_to, null as recorded_to, json_array(id) as evidence,
      task_id, turn_id
    from episodes where number = ?`,
  fact: FACT,
  closed_fact: FACT,
  note: `select 'note:' || note.id as id, entry_type as key, content as text, null as more, 'assistant' as source,
      coalesce(min(trust, ${TRUST.model}), ${TRUST.model}) as trust, note.created_at as created_at,
      note.created_at as event_time, note.created_at as stated_at, null as valid_from, null as valid_to,
      null as recorded_to, '[]' as evidence, note.task_id as task_id, turn_id
    from working_memory note left join trajectories using (turn_id) where note.id = ?`,
};

type Row = Omit<StoredItem, "row" | "kind" | "texts"> & { readonly text: string; readonly more: string | null };

/** A memory item with the stored messages of its turn. */
export interface FullItem {
  readonly item: StoredItem;
  readonly messages: readonly { readonly role: string; readonly text: string }[];
}

export class StoredItems extends Table {
  readonly #selects = new Map(Object.entries(SELECTS).map(([range, sql]) => [range, this.db.prepare(sql)]));
  readonly #evidence = this.db.prepare(
    `select episodes.number as number from knowledge join knowledge_evidence on knowledge_id = knowledge.id
       join episodes on episodes.id = episode_id
     where knowledge.number = ? order by event_time desc limit 20`,
  );
  readonly #numberOfEpisode = this.db.prepare("select number from episodes where id = ?");
  readonly #numberOfFact = this.db.prepare("select number, recorded_to from knowledge where id = ?");

  /** Null if it was deleted meanwhile. */
  read(row: number): StoredItem | null {
    const found = this.#selects.get(rangeOf(row))?.get(numberOf(row));
    if (found === undefined) return null;
    const { text, more, ...item } = camelRow(found, "evidence") as Row;
    return { ...item, row, kind: kindOf(row), texts: more === null ? [text] : [text, more] };
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
    return this.#evidence.all(numberOf(row)).map(({ number }) => indexRow("episode", Number(number)));
  }
}

/** Reads one item by its id. */
export class FullItems extends Table {
  readonly #items = new StoredItems(this.store);
  readonly #messages = new MessageTable(this.store);

  read(id: string): FullItem | null {
    const row = this.#items.rowOf(id);
    const item = row === null ? null : this.#items.read(row);
    if (item === null) return null;
    const stored = item.kind === "episode" && item.turnId !== null ? this.#messages.ofTurn(item.turnId) : [];
    const messages = stored
      .filter(({ thread }) => thread === "")
      .map(({ role, content }) => ({ role, text: typeof content === "string" ? content : textOf(content) }))
      .filter(({ text }) => text !== "");
    return { item, messages };
  }
}

/** What was said and called in a message, without thinking, attachments and context. */
function textOf(content: unknown): string {
  const parts = Array.isArray(content) ? (content as readonly Readonly<Record<string, unknown>>[]) : [];
  return parts
    .flatMap(({ kind, text, tool, input, output }) => {
      if (kind === "text") return [String(text)];
      if (typeof tool !== "string") return [];
      return [`${tool}: ${JSON.stringify(kind === "tool_use" ? input : output)}`];
    })
    .join("\n");
}
