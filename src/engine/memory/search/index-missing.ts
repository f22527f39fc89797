import type { Store } from "../../store/open-store.ts";
import { INDEX_RANGES } from "./index-rows.ts";
import type { IndexedItem, MemoryIndex } from "./indexed-item.ts";
import { predicateHints } from "../predicates.ts";
import type { WriteLane } from "../write-lane.ts";

const AT_ONCE = 500;

/**
 * Indexes, in short steps, what is stored and not indexed: imported records, or everything after a migration emptied the
 * index.
 */
export async function indexMissing(
  store: Store,
  { lane, index }: { lane: WriteLane; index: MemoryIndex },
): Promise<void> {
  for (const { sql, item } of SOURCES) {
    const select = store.db.prepare(`${sql} limit ${AT_ONCE}`);
    let after = 0;
    for (let rows = select.all(after); rows.length > 0; rows = select.all(after)) {
      await lane.each(rows, (row) => index.put(item(row)));
      after = Number(rows.at(-1)?.["number"]);
    }
  }
}

/** The docsize table of FTS5 has one row for each indexed item. */
const missing = (row: string): string =>
  `not exists (select 1 from memory_index_docsize known where known.id = ${row})`;

type Row = Record<string, unknown>;

const SOURCES: readonly { readonly sql: string; readonly item: (row: Row) => IndexedItem }[] = [
  {
    sql: `select * from episodes where number > ? and ${missing(`number + ${INDEX_RANGES.episode}`)} order by number`,
    item: (row) => ({
      ...common(row),
      kind: "episode",
      ref: String(row["id"]),
      eventTime: Number(row["event_time"]),
      keys: String(row["keys"] ?? ""),
      title: String(row["question"]),
      body: String(row["answer"]),
    }),
  },
  {
    sql: `select * from knowledge where number > ?
      and ${missing(`number + iif(recorded_to is null, ${INDEX_RANGES.fact}, ${INDEX_RANGES.closed_fact})`)}
      order by number`,
    item: (row) => ({
      ...common(row),
      kind: "fact",
      ref: String(row["id"]),
      live: row["recorded_to"] === null,
      eventTime: Number(row["valid_from"] ?? row["recorded_from"]),
      keys: predicateHints(String(row["predicate"])),
      title: `${String(row["subject"])} ${String(row["predicate"])}`,
      body: String(row["content"]),
    }),
  },
  {
    sql: `select *, working_memory.id as number, created_at as event_time from working_memory
      where working_memory.id > ? and ${missing(`working_memory.id + ${INDEX_RANGES.note}`)}
      order by working_memory.id`,
    item: (row) => ({ ...common(row), kind: "note", ref: `note:${String(row["id"])}`, body: String(row["content"]) }),
  },
];

const common = (row: Row) => ({
  taskId: (row["task_id"] ?? null) as string | null,
  turnId: (row["turn_id"] ?? null) as string | null,
  eventTime: Number(row["event_time"]),
  importance: Number(row["importance"] ?? 3),
  trust: Number(row["trust"] ?? 1),
  live: true,
  keys: "",
  title: "",
});
