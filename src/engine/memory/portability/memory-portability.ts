import { setImmediate as nextTurn } from "node:timers/promises";
import type {
  MemoryErased,
  MemoryFileEnd,
  MemoryFileHeader,
  MemoryImported,
} from "../../../contract/engine/memory-file.ts";
import { delay } from "../../../shared/clock.ts";
import { Deadline } from "../../../shared/deadline.ts";
import { oneLine } from "../../../shared/one-line.ts";
import type { Database } from "../../store/database.ts";
import type { Store } from "../../store/open-store.ts";
import { type ErasePlace, type LastEvent, eraseMemory, finishErasure } from "./erase-memory.ts";
import { RECORD_TYPES, type RecordType, fileRecord, readerOf } from "./file-records.ts";
import { type ImportParts, importMemory, resumeImport } from "./import-memory.ts";

type Done<Answer> = { readonly kind: "done"; readonly answer: Answer };
/** Imports and erasures run one at a time. */
type Busy = { readonly kind: "busy"; readonly with: "import" | "erasure" };
interface Exporting {
  readonly kind: "exporting";
  readonly chunks: AsyncGenerator<string>;
  /** Aborted when the export must end early. */
  readonly signal: AbortSignal;
}
/** A running learning batch would write after the erasure. */
type Learning = { readonly kind: "learning" };

/** How long an erasure waits for exports to close their readers. */
const MAX_READERS_WAIT_MS = 5000;
/** How long a stopping engine waits for an import. An import whose file is still being received is dropped. */
const MAX_IMPORT_WAIT_MS = 2000;

/** A chunk is yielded at this length or after this time, however large its rows are. */
const CHUNK_LENGTH = 64 * 1024;
const CHUNK_MS = 4;

interface PortabilityParts extends Omit<ImportParts, "stopping">, ErasePlace {
  /** Called when the tables are empty. */
  readonly erased?: () => void;
}

/** Export, import and erasure of all memory. */
export class MemoryPortability {
  readonly #parts: PortabilityParts;
  readonly #stopping = new AbortController();
  /** Aborts running exports: they would read what an erasure removes. */
  #exports = new AbortController();
  #readers = 0;
  #busy: Busy["with"] | null = null;
  #work: Promise<unknown> = Promise.resolve();

  constructor(parts: PortabilityParts) {
    this.#parts = parts;
  }

  /** The import or erasure that runs; null without one. */
  get busy(): Busy["with"] | null {
    return this.#busy;
  }

  /** Streams the file in chunks. Busy during an erasure. */
  export(header: MemoryFileHeader): Exporting | Busy {
    if (this.#busy === "erasure") return { kind: "busy", with: this.#busy };
    const { signal } = this.#exports;
    return { kind: "exporting", chunks: this.#countReader(exportMemory(this.#parts.store, header, signal)), signal };
  }

  import(body: AsyncIterable<Uint8Array>): Promise<Done<MemoryImported> | Busy> {
    return this.#exclusive("import", async () => {
      // An earlier import that failed after reading its file, for example on a full disk, comes first.
      await resumeImport(this.#importParts);
      return importMemory(this.#importParts, body);
    });
  }

  /** Call it only while no turn runs and none can start. */
  async erase({
    isLearning,
    lastEvent,
  }: {
    readonly isLearning: () => boolean;
    readonly lastEvent: () => LastEvent;
  }): Promise<Done<MemoryErased> | Busy | Learning> {
    const done = await this.#exclusive("erasure", async () => {
      this.#exports.abort(new Error("the memory was erased during the export"));
      this.#exports = new AbortController();
      for (const end = new Deadline(MAX_READERS_WAIT_MS); this.#readers > 0 && !end.isOver;) await delay(10);
      // Checked here: a batch may have started while the exports ended.
      if (isLearning()) return null;
      const erased = await eraseMemory(this.#parts, lastEvent());
      this.#parts.erased?.();
      return erased;
    });
    if (done.kind === "busy") return done;
    return done.answer === null ? { kind: "learning" } : { kind: "done", answer: done.answer };
  }

  /** Finishes an interrupted erasure. Call it before anything is read. */
  async finishErasure(): Promise<boolean> {
    if (this.#parts.store.state.get("erasure") === null) return false;
    await finishErasure(this.#parts);
    return true;
  }

  /** Continues an interrupted import. Null if none was interrupted after its file was read completely. */
  resumeImport(): Promise<Done<MemoryImported | null> | Busy> {
    return this.#exclusive("import", () => resumeImport(this.#importParts));
  }

  /** The next start continues a running import. `reason` is the error that its caller gets. */
  async close(reason: Error): Promise<void> {
    this.#stopping.abort(reason);
    this.#exports.abort(reason);
    await Promise.race([this.#work.catch(() => undefined), delay(MAX_IMPORT_WAIT_MS)]);
  }

  get #importParts(): ImportParts {
    return { ...this.#parts, stopping: this.#stopping.signal };
  }

  async *#countReader(chunks: AsyncGenerator<string>): AsyncGenerator<string> {
    this.#readers++;
    try {
      yield* chunks;
    } finally {
      this.#readers--;
    }
  }

  async #exclusive<Answer>(holder: Busy["with"], work: () => Promise<Answer>): Promise<Done<Answer> | Busy> {
    if (this.#busy !== null) return { kind: "busy", with: this.#busy };
    this.#busy = holder;
    const done = work();
    this.#work = done;
    try {
      return { kind: "done", answer: await done };
    } finally {
      this.#busy = null;
    }
  }
}

/**
 * All memory as JSON lines, in chunks, from one snapshot. A chunk is created when the reader requests it, and the event
 * loop runs in between.
 */
async function* exportMemory(
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
