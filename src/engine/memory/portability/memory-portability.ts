import type { MemoryErased, MemoryFileHeader, MemoryImported } from "../../../contract/memory-file.ts";
import { delay } from "../../../kit/clock.ts";
import { type EraseParts, eraseMemory, finishErasure } from "./erase-memory.ts";
import { exportMemory } from "./export-memory.ts";
import { type ImportParts, importMemory, resumeImport } from "./import-memory.ts";

type Done<Answer> = { readonly kind: "done"; readonly answer: Answer };
/** One at a time. */
type Busy = { readonly kind: "busy"; readonly with: "import" | "erasure" };
interface Exporting {
  readonly kind: "exporting";
  readonly pieces: AsyncGenerator<string>;
  readonly cut: AbortSignal;
}
/** What is being learnt from what is there would be written behind an erasure. */
type Learning = { readonly kind: "learning" };

/** How long exports may take to let go of the store. */
const READERS_GONE_MS = 5000;
/** How long an import may take to leave off when the engine stops; one whose file is still coming is given up. */
const LEFT_MS = 2000;

/** What a user may ask of all that is remembered: to have it, to bring it along, to have it forgotten. */
export class MemoryRights {
  readonly #parts: Omit<ImportParts, "stopping"> & EraseParts;
  readonly #stopping = new AbortController();
  /** Those that read now: an erasure ends them, for they hold on to what was. */
  #exports = new AbortController();
  #reading = 0;
  #busy: Busy["with"] | null = null;
  #work: Promise<unknown> = Promise.resolve();

  constructor(parts: Omit<ImportParts, "stopping"> & EraseParts) {
    this.#parts = parts;
  }

  /** In pieces; `cut` is aborted when they must not be read to their end. None begins while the store is emptied. */
  export(header: MemoryFileHeader): Exporting | Busy {
    if (this.#busy === "erasure") return { kind: "busy", with: this.#busy };
    const cut = this.#exports.signal;
    return { kind: "exporting", pieces: this.#counted(exportMemory(this.#parts.store, header, cut)), cut };
  }

  import(body: AsyncIterable<Uint8Array>): Promise<Done<MemoryImported> | Busy> {
    return this.#alone("import", async () => {
      // One that failed when all of it had been read, on a full disk: it comes first.
      await resumeImport(this.#importParts);
      return importMemory(this.#importParts, body);
    });
  }

  /** Only to be called while no turn runs, and none can begin. */
  async erase(isLearning: () => boolean): Promise<Done<MemoryErased> | Busy | Learning> {
    const done = await this.#alone("erasure", async () => {
      this.#exports.abort(new Error("what was being exported is erased"));
      this.#exports = new AbortController();
      for (const end = Date.now() + READERS_GONE_MS; this.#reading > 0 && Date.now() < end;) await delay(10);
      // Looked at when the erasure begins, and not before: it takes all there is to learn from at once.
      return isLearning() ? null : eraseMemory(this.#parts);
    });
    if (done.kind === "busy") return done;
    return done.answer === null ? { kind: "learning" } : { kind: "done", answer: done.answer };
  }

  /** What a process before this one was cut off in; before anything is read. */
  async finishErasure(): Promise<boolean> {
    if (this.#parts.store.state.get("erasure") === null) return false;
    await finishErasure(this.#parts);
    return true;
  }

  /** Null when there was none that had been read whole. */
  resumeImport(): Promise<Done<MemoryImported | null> | Busy> {
    return this.#alone("import", () => resumeImport(this.#importParts));
  }

  /** The engine stops: an import goes on at the next start. `reason`: what its caller is told. */
  async close(reason: Error): Promise<void> {
    this.#stopping.abort(reason);
    this.#exports.abort(reason);
    await Promise.race([this.#work.catch(() => undefined), delay(LEFT_MS)]);
  }

  get #importParts(): ImportParts {
    return { ...this.#parts, stopping: this.#stopping.signal };
  }

  async *#counted(pieces: AsyncGenerator<string>): AsyncGenerator<string> {
    this.#reading++;
    try {
      yield* pieces;
    } finally {
      this.#reading--;
    }
  }

  async #alone<Answer>(holder: Busy["with"], work: () => Promise<Answer>): Promise<Done<Answer> | Busy> {
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
