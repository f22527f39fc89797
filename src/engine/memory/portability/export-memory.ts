import { setImmediate as nextTurn } from "node:timers/promises";
import { oneLine } from "../../../shared/one-line.ts";
import type { MemoryFileEnd, MemoryFileHeader } from "../../../contract/memory-file.ts";
import type { Database } from "../../store/database.ts";
import type { Store } from "../../store/open-store.ts";
import { RECORD_TYPES, type RecordType, fileRecord, readerOf } from "./file-records.ts";

/** A chunk is yielded at this length or after this time, however large its rows are. */
const CHUNK_LENGTH = 64 * 1024;
const CHUNK_MS = 4;

/**
 * All memory as JSON lines, in chunks, from one snapshot. A chunk is created when the reader requests it, and the event
 * loop runs in between.
 */
export async function* exportMemory(
  store: Pick<Store, "reader">,
  header: MemoryFileHeader,
  signal: AbortSignal,
): AsyncGenerator<string> {
  signal.throwIfAborted();
  const db = store.reader();
  try {
    // The first read fixes the snapshot of the transaction.
    db.exec("begin; select 1 from sqlite_schema");
    const counts: Record<string, number> = {};
    let chunk = `${oneLine(header)}\n`;
    let until = performance.now() + CHUNK_MS;
    for (const type of RECORD_TYPES) {
      for (const line of linesOf(db, type)) {
        counts[type] = (counts[type] ?? 0) + 1;
        chunk += line;
        if (chunk.length < CHUNK_LENGTH && performance.now() < until) continue;
        yield chunk;
        chunk = "";
        await nextTurn();
        signal.throwIfAborted();
        until = performance.now() + CHUNK_MS;
      }
    }
    yield `${chunk}${oneLine({ type: "end", counts } satisfies MemoryFileEnd)}\n`;
  } finally {
    db.close();
  }
}

function* linesOf(db: Database, type: RecordType): Generator<string> {
  const { table, order } = fileRecord(type);
  const { columns, read } = readerOf(type);
  for (const row of db.prepare(`select ${columns} from ${table} order by ${order}`).iterate())
    yield `${oneLine({ type, ...read(row) })}\n`;
}
