import type { Store } from "../../store/open-store.ts";
import type { WriteLane } from "../write-lane.ts";
import { INDEX_RANGES } from "./index-rows.ts";
import { type FullTextIndex, type IndexedItem, episodeItem, factItem, noteItem } from "./memory-index.ts";

const AT_ONCE = 500;

/**
 * Indexes, in short steps, stored records that are not indexed: imported records, or everything after a migration emptied the
 * index.
 */
export async function indexMissing(
  store: Store,
  { lane, index }: { lane: WriteLane; index: Pick<FullTextIndex, "put"> },
): Promise<void> {
  for (const { sql, item } of SOURCES) {
    const select = store.db.prepare(`${sql} limit ${AT_ONCE}`);
    let after = 0;
    for (let rows = select.all(after); rows.length > 0; rows = select.all(after)) {
      await lane.each(rows, (row) => index.put(item(row as Row)));
      after = Number(rows.at(-1)?.["number"]);
    }
  }
}

/** The docsize table of FTS5 has one row for each indexed item. */
const missing = (row: string): string =>
  `not exists (select 1 from memory_index_docsize known where known.id = ${row})`;

type Row = Readonly<Record<"id" | "question" | "answer" | "keys" | "subject" | "predicate" | "content", string>> & {
  readonly number: number;
  readonly recorded_to: number | null;
};

const SOURCES: readonly { readonly sql: string; readonly item: (row: Row) => IndexedItem }[] = [
  {
    sql: `select * from episodes where number > ? and ${missing(`number + ${INDEX_RANGES.episode}`)} order by number`,
    item: (row) => episodeItem(row, row.keys),
  },
  {
    sql: `select * from knowledge where number > ?
      and ${missing(`number + iif(recorded_to is null, ${INDEX_RANGES.fact}, ${INDEX_RANGES.closed_fact})`)}
      order by number`,
    item: (row) => factItem(row, { isLive: row.recorded_to === null }),
  },
  {
    sql: `select id as number, content from working_memory
      where id > ? and ${missing(`working_memory.id + ${INDEX_RANGES.note}`)} order by id`,
    item: ({ number, content }) => noteItem(number, content),
  },
];
