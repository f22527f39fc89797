import type { EmbeddedPassages } from "../../contract/orchestrator/knowledge-order.ts";
import { embedTexts } from "../memory/embeddings/embed-texts.ts";
import { quantize } from "../memory/embeddings/quantize.ts";
import { type TextEmbedder, retryAfterMs } from "../memory/embeddings/text-embedder.ts";
import { Database } from "../store/database.ts";
import { countVectors } from "./count-vectors.ts";

const CALL_TIMEOUT_MS = 60_000;
const BATCH_SIZE = 32;
/** Of all vectors in a file: 170,000 of 1,536 dimensions. */
const MAX_BYTES = 256 * 1024 * 1024;

interface Waiting {
  readonly row: number;
  readonly text: string;
}

/** Makes vectors of the passages in a file that have none yet, until all have one, `stopped` is aborted or a call fails. */
export async function embedPassages(
  file: string,
  { embedder, stopped }: { readonly embedder: TextEmbedder; readonly stopped: AbortSignal },
): Promise<EmbeddedPassages> {
  using vectors = new NewVectors(file, embedder.model);
  let failure: unknown = null;
  try {
    for (let rows = vectors.next(); rows.length > 0 && !stopped.aborted; rows = vectors.next()) {
      const refused: { readonly row: Waiting; readonly error: unknown }[] = [];
      await embedTexts(rows, {
        embed: (texts) => embedder.embed(texts, AbortSignal.timeout(CALL_TIMEOUT_MS)),
        made: (made, values) => vectors.put(made, values),
        refused(row, error) {
          refused.push({ row, error });
        },
      });
      // An endpoint that has taken no text yet refuses something else.
      if (refused.length === rows.length && vectors.count().embedded === 0) throw refused[0]?.error;
      for (const { row } of refused) vectors.giveUp(row);
    }
  } catch (error) {
    failure = error;
  }
  vectors.finish();
  return {
    ...vectors.count(),
    made: vectors.made,
    error: failure === null ? null : failure instanceof Error ? failure.message : String(failure),
    retry_after_ms: retryAfterMs(failure) ?? null,
  };
}

/** Writes vectors into a file that nobody reads yet. Those of another model, or of another length, go. */
class NewVectors implements Disposable {
  readonly #db: Database;
  readonly #model: string;
  readonly #next;
  readonly #putVector;
  readonly #putSigns;
  #dimensions: number | null;
  /** How many were made, with those that the endpoint refuses. */
  made = 0;

  constructor(file: string, model: string) {
    this.#db = new Database(file);
    this.#model = model;
    this.#db.exec("pragma journal_mode = off; pragma synchronous = off; pragma secure_delete = on; begin");
    this.#next = this.#db.prepare(
      `select passages.id, title, heading, text from passages join documents on documents.id = passages.document
       where not exists (select 1 from passage_vectors where passage = passages.id) order by passages.id limit ?`,
    );
    this.#putVector = this.#db.prepare("insert into passage_vectors (passage, vector) values (?, ?)");
    this.#putSigns = this.#db.prepare("insert into passage_signs (passage, signs) values (?, ?)");
    const stored = this.#db.prepare("select model, dimensions from embedding").get();
    this.#dimensions = stored?.["model"] === model ? Number(stored["dimensions"]) : null;
    if (this.#dimensions === null) this.#forget();
  }

  next(): readonly Waiting[] {
    if (this.count().embedded * (this.#dimensions ?? 0) > MAX_BYTES) return [];
    return this.#next.all(BATCH_SIZE).map(({ id, title, heading, text }) => ({
      row: Number(id),
      text: [...new Set([String(title), ...(JSON.parse(String(heading)) as string[])]), String(text)].join("\n"),
    }));
  }

  put(rows: readonly Waiting[], values: readonly (readonly number[])[]): void {
    const dimensions = values[0]?.length ?? 0;
    if (this.#dimensions !== dimensions) this.#begin(dimensions);
    for (const [at, { row }] of rows.entries()) {
      const { bytes, signs } = quantize(values[at] ?? []);
      this.#putVector.run(row, new Uint8Array(bytes.buffer));
      this.#putSigns.run(row, new Uint8Array(signs.buffer));
      this.made++;
    }
  }

  giveUp({ row }: Waiting): void {
    this.#putVector.run(row, null);
    this.made++;
  }

  count() {
    return countVectors(this.#db);
  }

  finish(): void {
    this.#db.exec("commit");
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #begin(dimensions: number): void {
    if (this.made > 0) throw new Error("the embeddings endpoint answers with vectors of several lengths");
    this.#forget();
    this.#dimensions = dimensions;
    this.#db.prepare("insert into embedding (model, dimensions) values (?, ?)").run(this.#model, dimensions);
  }

  #forget(): void {
    this.#db.exec("delete from passage_signs; delete from passage_vectors; delete from embedding");
  }
}
