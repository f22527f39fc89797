import type { MemoryList } from "../../contract/engine/memory-format.ts";
import type { MemoryItems, MemoryPage } from "../../contract/engine/memory.ts";
import { Table } from "../store/table.ts";
import { type RecordType, fileRecord, readerOf } from "./portability/file-records.ts";

type Fields = Readonly<Record<string, unknown>>;

const EDGES = readerOf("social_edge");

/** Pages of each kind of memory, the newest first. */
export class MemoryLists extends Table {
  readonly #edges = this.db.prepare(
    `select ${EDGES.columns} from social_edges where recorded_to is null and (from_node = ?1 or to_node = ?1)`,
  );

  /** `before` is the previous page's cursor; null for the first page. */
  page<List extends MemoryList>(
    list: List,
    { before, limit }: { readonly before: number | null; readonly limit: number },
  ): MemoryPage<MemoryItems[List]> {
    const { type, item } = LISTINGS[list];
    const { table, order } = fileRecord(type);
    const { columns, read } = readerOf(type);
    const rows = this.db
      .prepare(
        `select ${table}.${order} as cursor, ${columns} from ${table} where cursor < ? order by cursor desc limit ?`,
      )
      .all(before ?? Number.MAX_SAFE_INTEGER, limit + 1);
    const shown = rows.slice(0, limit);
    return {
      items: shown.map((row) => item(read(row), this.#edgesOf) as unknown as MemoryItems[List]),
      next_cursor: rows.length > limit ? String(shown.at(-1)?.["cursor"]) : null,
    };
  }

  readonly #edgesOf = (node: unknown): readonly Fields[] =>
    this.#edges.all(String(node)).map((row) => {
      const { created_at: _, invalidated_at: __, ...edge } = EDGES.read(row);
      return edge;
    });
}

/** The records of a memory file, as the lists show them. */
const LISTINGS: Readonly<
  Record<
    MemoryList,
    { readonly type: RecordType; readonly item: (record: Fields, edgesOf: (node: unknown) => unknown) => Fields }
  >
> = {
  episodes: { type: "episode", item: ({ keys: _, ...episode }) => episode },
  knowledge: { type: "knowledge", item: ({ hash: _, ...fact }) => fact },
  social: {
    type: "social_node",
    item: ({ node_type: type, ...node }, edgesOf) => ({ ...node, type, edges: edgesOf(node["id"]) }),
  },
  working: { type: "working", item: (entry) => entry },
  trajectories: {
    type: "trajectory",
    item: ({ usage, ...trajectory }) => {
      const { inputTokens, outputTokens, cacheHitTokens } = usage as Readonly<Record<string, number>>;
      return {
        ...trajectory,
        thread_id: trajectory["task_id"],
        usage: { input_tokens: inputTokens, output_tokens: outputTokens, cache_hit_tokens: cacheHitTokens },
      };
    },
  },
};
