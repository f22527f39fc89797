import type { MemoryItems, MemoryList, MemoryPage, SocialEdgeRecord } from "../../contract/memory-records.ts";
import type { Store } from "../store/open-store.ts";
import { trustName } from "./trust.ts";

type Row = Readonly<Record<string, unknown>>;

interface Listing<Item> {
  /** `?1` is the cursor, exclusive; `?2` the limit. */
  readonly sql: string;
  readonly record: (row: Row) => Item;
}

/** Pages of each kind of memory, the newest first. */
export class MemoryLists {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** `before` is the previous page's cursor; null for the first page. */
  page<List extends MemoryList>(
    list: List,
    { before, limit }: { readonly before: number | null; readonly limit: number },
  ): MemoryPage<MemoryItems[List]> {
    const { sql, record } = LISTINGS[list] as Listing<MemoryItems[List]>;
    const rows = this.#store.db.prepare(sql).all(before ?? Number.MAX_SAFE_INTEGER, limit + 1);
    const shown = rows.slice(0, limit);
    return {
      items: shown.map(record),
      next_cursor: rows.length > limit ? String(shown.at(-1)?.["number"]) : null,
    };
  }
}

const LISTINGS: { readonly [List in MemoryList]: Listing<MemoryItems[List]> } = {
  episodes: {
    sql: "select * from episodes where number < ?1 order by number desc limit ?2",
    record: (row) => ({
      id: text(row["id"]),
      key: text(row["key"]),
      description: text(row["description"]),
      created_at: time(row["created_at"]),
      task_id: text(row["task_id"]),
      turn_id: text(row["turn_id"]),
      question: text(row["question"]),
      answer: text(row["answer"]),
      importance: Number(row["importance"]),
      source: text(row["source"]),
      trust: trustName(Number(row["trust"])),
      event_time: time(row["event_time"]),
    }),
  },
  knowledge: {
    sql: `select *, (select json_group_array(episode_id) from knowledge_evidence where knowledge_id = id) as evidence
          from knowledge where number < ?1 order by number desc limit ?2`,
    record: (row) => ({
      id: text(row["id"]),
      content: text(row["content"]),
      subject: text(row["subject"]),
      predicate: text(row["predicate"]),
      object: text(row["object"]),
      importance: Number(row["importance"]),
      confidence: Number(row["confidence"]),
      source: text(row["source"]),
      trust: trustName(Number(row["trust"])),
      valid_from: timeOrNull(row["valid_from"]),
      valid_to: timeOrNull(row["valid_to"]),
      created_at: time(row["recorded_from"]),
      invalidated_at: timeOrNull(row["recorded_to"]),
      superseded_by: row["superseded_by"] as string | null,
      evidence: JSON.parse(text(row["evidence"])) as string[],
    }),
  },
  social: {
    sql: `select *,
            (select json_group_array(alias) from social_aliases where node_id = id) as aliases,
            (select json_group_array(json_object(
               'id', edge.id, 'from', edge.from_node, 'to', edge.to_node, 'relation', relation, 'trust', edge.trust,
               'valid_from', valid_from, 'valid_to', valid_to))
             from social_edges edge
             where recorded_to is null and (edge.from_node = node.id or edge.to_node = node.id)) as edges
          from social_nodes node where number < ?1 order by number desc limit ?2`,
    record: (row) => ({
      id: text(row["id"]),
      name: text(row["name"]),
      type: text(row["type"]),
      aliases: JSON.parse(text(row["aliases"])) as string[],
      summary: text(row["summary"]),
      trust: trustName(Number(row["trust"])),
      mention_count: Number(row["mentions"]),
      first_seen: time(row["first_seen"]),
      last_seen: time(row["last_seen"]),
      edges: (JSON.parse(text(row["edges"])) as Row[]).map(edgeRecord),
    }),
  },
  working: {
    sql: "select *, id as number from working_memory where id < ?1 order by id desc limit ?2",
    record: (row) => ({
      id: `note:${Number(row["id"])}`,
      task_id: text(row["task_id"]),
      turn_id: text(row["turn_id"]),
      entry_type: row["entry_type"] as MemoryItems["working"]["entry_type"],
      content: text(row["content"]),
      created_at: time(row["created_at"]),
    }),
  },
  trajectories: {
    sql: "select * from trajectories where number < ?1 order by number desc limit ?2",
    record: (row) => {
      const usage = JSON.parse(text(row["usage"])) as Record<"inputTokens" | "outputTokens" | "cacheHitTokens", number>;
      return {
        id: text(row["id"]),
        thread_id: text(row["task_id"]),
        task_id: text(row["task_id"]),
        created_at: time(row["created_at"]),
        turn_id: text(row["turn_id"]),
        outcome: row["outcome"] as MemoryItems["trajectories"]["outcome"],
        error_code: row["error_code"] as string | null,
        steps: JSON.parse(text(row["steps"])) as MemoryItems["trajectories"]["steps"],
        usage: {
          input_tokens: usage.inputTokens,
          output_tokens: usage.outputTokens,
          cache_hit_tokens: usage.cacheHitTokens,
        },
        duration_ms: Number(row["duration_ms"]),
        trust: trustName(Number(row["trust"])),
        batch_id: row["batch_id"] as string | null,
      };
    },
  },
};

const edgeRecord = (edge: Row): SocialEdgeRecord => ({
  id: text(edge["id"]),
  from: text(edge["from"]),
  to: text(edge["to"]),
  relation: text(edge["relation"]),
  trust: trustName(Number(edge["trust"])),
  valid_from: timeOrNull(edge["valid_from"]),
  valid_to: timeOrNull(edge["valid_to"]),
});

const text = (value: unknown): string => String(value);
const time = (value: unknown): string => new Date(Number(value)).toISOString();
const timeOrNull = (value: unknown): string | null => (value === null ? null : time(value));
