import type { VectorStore } from "../memory/embeddings/nearest-items.ts";
import type { Database } from "../store/database.ts";

/** The vectors in a file of a product's knowledge, by the rows of passages. */
export class PassageVectors implements VectorStore {
  /** Null before the first vector. */
  readonly model: string | null;
  readonly dimensions: number | null;
  readonly #most;
  readonly #vector;
  readonly #vectors;
  readonly #signs;

  constructor(db: Database) {
    const embedding = db.prepare("select model, dimensions from embedding").get();
    this.model = embedding === undefined ? null : String(embedding["model"]);
    this.dimensions = embedding === undefined ? null : Number(embedding["dimensions"]);
    this.#most = db.prepare("select count(*) as most from passages");
    this.#vector = db.prepare("select vector from passage_vectors where passage = ?");
    this.#vectors = db.prepare(
      `select passage, vector from passage_vectors
       where passage in (select value from json_each(?)) and vector is not null`,
    );
    this.#signs = db.prepare(
      "select passage, substr(signs, 1, ?) as signs from passage_signs where passage > ? order by passage limit ?",
    );
  }

  most(): number {
    return Number(this.#most.get()?.["most"]);
  }

  vector(passage: number): Int8Array | null {
    const bytes = this.#vector.get(passage)?.["vector"];
    return bytes instanceof Uint8Array ? asSigned(bytes) : null;
  }

  vectors(passages: readonly number[]): ReadonlyMap<number, Int8Array> {
    const found = this.#vectors.all(JSON.stringify(passages));
    return new Map(found.map(({ passage, vector }) => [Number(passage), asSigned(vector as Uint8Array)]));
  }

  signs(after: number, limit: number, words: number) {
    return this.#signs.all(words * Int32Array.BYTES_PER_ELEMENT, after, limit).map(({ passage, signs }) => ({
      item: Number(passage),
      // A copy: SQLite's bytes need not begin at a multiple of four.
      signs: new Int32Array(new Uint8Array(signs as Uint8Array).buffer),
    }));
  }
}

const asSigned = ({ buffer, byteOffset, length }: Uint8Array): Int8Array => new Int8Array(buffer, byteOffset, length);
