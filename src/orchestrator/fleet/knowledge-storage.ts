import type { KnowledgeFound } from "../../contract/engine/knowledge-result.ts";
import type { KnowledgeType } from "../../contract/orchestrator/knowledge-limits.ts";
import type { DocumentReading, ReadDocument } from "../../contract/orchestrator/knowledge-passage.ts";

/** The documents of a product as the database has them. */
export interface StoredDocuments {
  /** The digest of each document's content, by path. */
  contents(): Promise<ReadonlyMap<string, string>>;
  /** Null when it was deleted meanwhile. */
  document(path: string): Promise<ReadDocument | null>;
}

export interface SearchOptions {
  readonly query: string;
  readonly limit: number;
}

/**
 * The files of products' knowledge, by product and digest, that engines search. They never change. The database has the
 * documents that they are made from.
 */
export interface KnowledgeStorage {
  /** Reads a document in a process of its own. One that exceeds its time or memory has a `problem`. */
  read(bytes: Uint8Array, document: { readonly type: KnowledgeType; readonly path: string }): Promise<DocumentReading>;
  /** Makes sure that the file of a digest is there. False when the documents have another digest by now. */
  ensure(productId: string, digest: string, stored: StoredDocuments): Promise<boolean>;
  /** Where the file of a digest is. */
  fileOf(productId: string, digest: string): string;
  search(productId: string, digest: string, options: SearchOptions): Promise<KnowledgeFound>;
  /** Removes files that are not in use any more. `inUse` has the digests by product. */
  collect(inUse: ReadonlyMap<string, ReadonlySet<string>>, now: number): Promise<void>;
}
