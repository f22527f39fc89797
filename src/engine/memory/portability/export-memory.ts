import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { oneLine } from "../../../kit/one-line.ts";
import type { MemoryFileEnd, MemoryFileHeader } from "../../../contract/memory-file.ts";
import type { Store } from "../../store/open-store.ts";
import type { FileField } from "./file-fields.ts";
import { RECORD_TYPES, type RecordType, fileRecord } from "./file-records.ts";

/** A piece is handed on once it is this long, or has taken this long: a page of rows, however large each is. */
const PIECE_LENGTH = 64 * 1024;
const PIECE_MS = 4;

/**
 * All that is remembered as lines of JSON, in pieces of several lines: one state of it, whatever is written meanwhile. No
 * piece is made before the one before was taken, and other work goes on in between.
 */
export async function* exportMemory(
  store: Pick<Store, "reader">,
  header: MemoryFileHeader,
  signal: AbortSignal,
): AsyncGenerator<string> {
  signal.throwIfAborted();
  const db = store.reader();
  try {
    // What is read from here on is what there is at the first look.
    db.exec("begin; select 1 from sqlite_schema");
    const counts: Record<string, number> = {};
    let piece = `${oneLine(header)}\n`;
    let until = performance.now() + PIECE_MS;
    for (const type of RECORD_TYPES) {
      for (const line of linesOf(db, type)) {
        counts[type] = (counts[type] ?? 0) + 1;
        piece += line;
        if (piece.length < PIECE_LENGTH && performance.now() < until) continue;
        yield piece;
        piece = "";
        await nextTurn();
        signal.throwIfAborted();
        until = performance.now() + PIECE_MS;
      }
    }
    yield `${piece}${oneLine({ type: "end", counts } satisfies MemoryFileEnd)}\n`;
  } finally {
    db.close();
  }
}

function* linesOf(db: DatabaseSync, type: RecordType): Generator<string> {
  const { table, order, fields } = fileRecord(type);
  const named = Object.entries(fields);
  const columns = named.map(([name, { column, expression }]) => `${expression ?? column} as "${name}"`);
  for (const row of db.prepare(`select ${columns.join(", ")} from ${table} order by ${order}`).iterate())
    yield `${oneLine({ type, ...recordOf(row, named) })}\n`;
}

const recordOf = (row: Record<string, unknown>, fields: readonly (readonly [string, FileField])[]) =>
  Object.fromEntries(fields.map(([name, { toFile }]) => [name, toFile(row[name])]));
