import { Pauses } from "../../shared/pauses.ts";
import type { Product } from "../store/products.ts";

/** The vectors of a product's documents that are made, or wait to be made. */
export interface EmbeddingWork {
  isRunning: boolean;
  /** Further work was asked for while it ran. */
  isDue: boolean;
  /** What has all its vectors: the product as it was read, and the file. */
  settled: { readonly product: Product; readonly file: string | null } | null;
  /** The digest of the documents that were last seen. */
  digest: string | null;
  /** How long calls were made since all had their vectors. */
  spentMs: number;
  readonly pauses: Pauses;
  retry: NodeJS.Timeout | undefined;
  /** Why the last call failed. Null after one that did not. */
  error: string | null;
}

/** The work on vectors of products' documents, by product. */
export class KnowledgeEmbeddings {
  readonly #works = new Map<string, EmbeddingWork>();

  of(productId: string): EmbeddingWork {
    const known = this.#works.get(productId);
    if (known !== undefined) return known;
    const work = {
      isRunning: false,
      isDue: false,
      settled: null,
      digest: null,
      spentMs: 0,
      pauses: new Pauses(),
      retry: undefined,
      error: null,
    };
    this.#works.set(productId, work);
    return work;
  }

  errorOf(productId: string): string | null {
    return this.#works.get(productId)?.error ?? null;
  }

  /** Why the last calls failed, of each product of which one did. */
  errors(): readonly { readonly productId: string; readonly error: string }[] {
    return [...this.#works].flatMap(([productId, { error }]) => (error === null ? [] : [{ productId, error }]));
  }

  /** Of a product that was deleted. */
  forget(productId: string): void {
    clearTimeout(this.#works.get(productId)?.retry);
    this.#works.delete(productId);
  }
}
